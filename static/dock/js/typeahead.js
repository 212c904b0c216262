// In a tree, letters typed quickly move to the next item whose name starts with them.
const ITEM = "[role=treeitem]";
const PAUSE_MS = 600;
let typed = "";
let typedAt = 0;

const nameOf = (item) => item.querySelector(":scope > .tree-row").textContent.trim().toLowerCase();

document.addEventListener("keydown", (event) => {
  const item = event.target;
  if (!item.matches?.(ITEM) || event.ctrlKey || event.metaKey || event.altKey || !/^[\p{L}\p{N}._-]$/u.test(event.key)) return;
  event.preventDefault(); // A letter in a tree is never a shortcut of the page.
  typed = Date.now() - typedAt < PAUSE_MS ? typed + event.key.toLowerCase() : event.key.toLowerCase();
  typedAt = Date.now();
  const all = [...item.closest("[role=tree]").querySelectorAll(ITEM)];
  const shown = all.filter((one) => !one.parentElement.closest("[aria-expanded=false]"));
  const from = shown.indexOf(item) + (typed.length > 1 ? 0 : 1);
  [...shown.slice(from), ...shown.slice(0, from)].find((one) => nameOf(one).startsWith(typed))?.focus();
});
