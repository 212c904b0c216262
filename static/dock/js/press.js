// data-press="r" on a button or link: that key presses the one of the row with the focus, or else the page's own.
const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

function wanted(key) {
  const row = document.activeElement?.closest(".row");
  const all = [...document.querySelectorAll("main [data-press]")].filter(({ dataset }) => dataset.press === key);
  return all.find((one) => row?.contains(one)) ?? all.find((one) => !one.closest(".row"));
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.(TYPING) || document.querySelector("dialog[open], [data-keys-switch]:not(:checked)")) return;
  const found = wanted(event.key);
  found?.click();
  if (found) event.preventDefault();
});
