// Ctrl-K: one field that goes to pages and projects, and finds what is remembered. Escape and the focus are the dialog's.
const palette = document.getElementById("palette");
const field = document.getElementById("palette-q");
let isMoved = false; // Hits that arrive must not change what a person has chosen with the arrows.

const options = () => [...palette.querySelectorAll("[role=option]")].filter((one) => one.checkVisibility());
const chosen = () => palette.querySelector("[role=option][aria-selected=true]");

function choose(option) {
  chosen()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) field.setAttribute("aria-activedescendant", option.id);
  else field.removeAttribute("aria-activedescendant");
}

function narrow() {
  isMoved = false;
  const text = field.value.trim().toLowerCase();
  for (const jump of palette.querySelectorAll("[data-jump]")) jump.hidden = !jump.textContent.toLowerCase().includes(text);
  choose(options()[0]);
}

function open() {
  palette.showModal();
  field.select();
  narrow();
  window.htmx.trigger(field, "palette:open"); // What is saved may be another than when the page was made.
}

function onKey(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const all = options();
  if (step && all.length) {
    choose(all[(all.indexOf(chosen()) + step + all.length) % all.length]);
    isMoved = true;
  } else if (event.key !== "Enter" || event.isComposing || !chosen()) return;
  else chosen().click();
  event.preventDefault();
}

function onHits() {
  const [first, ...rest] = options();
  const before = field.getAttribute("aria-activedescendant");
  choose((isMoved && rest.find((option) => option.id === before)) || first);
}

function onShortcut(event) {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  const other = document.querySelector("dialog[open]:not(#palette)");
  event.preventDefault();
  if (palette.open) palette.close();
  else if (!other) open();
}

if (palette) {
  document.addEventListener("keydown", onShortcut);
  field.addEventListener("keydown", onKey);
  field.addEventListener("input", narrow);
  palette.addEventListener("htmx:afterSwap", onHits);
}
