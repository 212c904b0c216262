// Single-letter shortcuts: / ? g+letter j k [ ] Escape. Off while typing, in dialogs, and when switched off in the sheet.
const STORE = "memdock.keys";
const GO_MS = 1500;
const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const ROWS = ".row a.row-title, .row .row-title > a";
let goUntil = 0;

function isOff() {
  try {
    return localStorage.getItem(STORE) === "off";
  } catch {
    return false;
  }
}

function move(step) {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row.closest(".row").contains(document.activeElement));
  const next = at < 0 ? rows.at(step > 0 ? 0 : -1) : rows[at + step];
  next?.focus();
  return Boolean(next);
}

function follow(selector) {
  const link = document.querySelector(selector);
  link?.click();
  return Boolean(link);
}

function focusFilter() {
  const box = document.querySelector("[data-filter]");
  box?.focus();
  box?.select?.();
  return Boolean(box);
}

function openSheet() {
  const sheet = document.getElementById("keys");
  sheet?.showModal();
  return Boolean(sheet);
}

const ACTIONS = {
  "/": focusFilter,
  "?": openSheet,
  j: () => move(1),
  k: () => move(-1),
  "[": () => follow("main a[rel~=prev]"),
  "]": () => follow("main a[rel~=next]"),
  g: () => Boolean((goUntil = Date.now() + GO_MS)),
};

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return document.activeElement?.closest?.(`[data-filter], ${ROWS}`)?.blur();
  if (isOff() || event.target.closest?.(TYPING)) return;
  const going = Date.now() < goUntil;
  goUntil = 0;
  const went = going && /^[a-z]$/.test(event.key) && follow(`[data-go="${event.key}"]`);
  if (went || ACTIONS[event.key]?.()) event.preventDefault();
}

document.addEventListener("keydown", onKey);
document.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-keys-switch]")) return;
  try {
    localStorage.setItem(STORE, target.checked ? "on" : "off");
  } catch {
    target.checked = true; // Storage is blocked: nothing would remember the choice.
  }
});
document.querySelectorAll("[data-keys-switch]").forEach((box) => (box.checked = !isOff()));
