// Ticked rows of a form[data-select]: shift for a range, the box of the page, "All n", how many, and x on the keyboard.
const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
let last = null;
let isRange = false;

const boxes = (form) => [...form.querySelectorAll("input[name=pk]")];

function paint(form) {
  const rows = boxes(form);
  const ticked = rows.filter((box) => box.checked).length;
  const whole = form.querySelector("[name=all]");
  const page = form.querySelector("[data-select-page]");
  const count = form.querySelector("[data-select-count]");
  if (!page || !count) return;
  page.checked = ticked > 0 && ticked === rows.length;
  page.indeterminate = ticked > 0 && ticked < rows.length;
  count.textContent = whole?.checked ? whole.dataset.count : ticked;
}

function range(rows, box) {
  const [from, to] = [rows.indexOf(last), rows.indexOf(box)].sort((one, other) => one - other);
  if (from >= 0) rows.slice(from, to + 1).forEach((row) => (row.checked = box.checked));
}

function ticked({ target: box }) {
  const form = box.closest?.("form[data-select]");
  if (!form || box.type !== "checkbox") return;
  const whole = form.querySelector("[name=all]");
  if (box.name === "pk") {
    if (isRange) range(boxes(form), box);
    last = box;
  } else boxes(form).forEach((row) => (row.checked = box.checked));
  if (whole && !box.checked) whole.checked = false;
  paint(form);
}

function onKey(event) {
  isRange = event.shiftKey;
  if (event.key === "Enter" && event.target.matches?.("form[data-select] [type=checkbox]")) event.preventDefault();
  if (event.key.toLowerCase() !== "x" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
  if (document.querySelector("[data-keys-switch]:not(:checked)")) return;
  const box = document.activeElement?.closest(".row")?.querySelector("input[name=pk]");
  box?.click();
  if (box) event.preventDefault();
}

const paintAll = () => document.querySelectorAll("form[data-select]").forEach(paint);

// The click that a label passes on to its box does not tell everywhere whether shift was held.
document.addEventListener("pointerdown", (event) => (isRange = event.shiftKey), true);
document.addEventListener("change", ticked);
document.addEventListener("keydown", onKey);
for (const sign of ["htmx:afterSettle", "memory:shown"]) document.addEventListener(sign, paintAll);
addEventListener("pageshow", paintAll);
