// The ARIA tree pattern: arrows, Home, End, Enter; a press on a row; one tab stop.
const ITEM = "[role=treeitem]";

const shown = (tree) => [...tree.querySelectorAll(ITEM)].filter((item) => !item.parentElement.closest("[aria-expanded=false]"));
const rowOf = (item) => item.querySelector(":scope > .tree-row");

function setUp() {
  for (const tree of document.querySelectorAll("[role=tree]")) {
    tree.querySelectorAll(".tree-row").forEach((row) => row.matches("a") && (row.tabIndex = -1));
    const items = shown(tree);
    const stop = items.find((item) => item.tabIndex === 0) ?? items.find((item) => item.matches("[aria-selected=true]")) ?? items[0];
    tree.querySelectorAll(ITEM).forEach((item) => (item.tabIndex = item === stop ? 0 : -1));
  }
}

// branches.js opens and closes, and fetches what is not there yet.
const flip = (item) => item.dispatchEvent(new CustomEvent("tree:flip", { bubbles: true }));

function select(item) {
  item.closest("[role=tree]").querySelectorAll("[aria-selected=true]").forEach((one) => one.setAttribute("aria-selected", "false"));
  item.setAttribute("aria-selected", "true");
}

document.addEventListener("click", (event) => {
  const item = event.target.closest(".tree-row")?.closest(ITEM);
  if (!item || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (item.hasAttribute("aria-expanded")) {
    event.preventDefault();
    flip(item);
  } else if (rowOf(item).matches("a")) select(item);
  item.focus();
});

document.addEventListener("keydown", (event) => {
  const item = event.target.closest?.(ITEM);
  if (!item || event.target !== item || event.ctrlKey || event.metaKey || event.altKey) return;
  const items = shown(item.closest("[role=tree]"));
  const at = items.indexOf(item);
  const open = item.getAttribute("aria-expanded");
  const act = {
    ArrowDown: () => items[at + 1]?.focus(),
    ArrowUp: () => items[at - 1]?.focus(),
    Home: () => items[0]?.focus(),
    End: () => items.at(-1)?.focus(),
    ArrowRight: () => (open === "false" ? flip(item) : open === "true" && item.querySelector(ITEM)?.focus()),
    ArrowLeft: () => (open === "true" ? flip(item) : item.parentElement.closest(ITEM)?.focus()),
    Enter: () => (open ? flip(item) : rowOf(item).click()),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// The tab stop is the item that was last in focus.
document.addEventListener("focusin", (event) => {
  if (!event.target.matches(ITEM)) return;
  for (const one of event.target.closest("[role=tree]").querySelectorAll(ITEM)) one.tabIndex = one === event.target ? 0 : -1;
});
for (const sign of ["htmx:load", "tree:grown"]) document.addEventListener(sign, setUp);
setUp();
