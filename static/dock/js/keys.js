// Single-letter shortcuts: / f ? g+letter j k e [ ] Escape. Off while typing, in dialogs, and when switched off in the sheet.
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

function follow(selector, from = document) {
  const link = from?.querySelector(selector);
  link?.click();
  return Boolean(link);
}

function enter(selector) {
  const box = document.querySelector(selector);
  box?.focus();
  box?.select?.();
  return Boolean(box);
}

function openSheet() {
  document.getElementById("keys").showModal();
  return true;
}

function leave(event) {
  const held = document.activeElement?.closest?.(`#q, [data-filter], ${ROWS}`);
  if (held) event.preventDefault(); // Chromium would empty a search field.
  held?.blur();
}

const ACTIONS = {
  "/": () => enter("#q"),
  f: () => enter("[data-filter]"),
  "?": openSheet,
  j: () => move(1),
  k: () => move(-1),
  e: () => follow("[data-expand]", document.activeElement?.closest(".row")),
  "[": () => follow("main a[rel~=prev]"),
  "]": () => follow("main a[rel~=next]"),
  g: () => Boolean((goUntil = Date.now() + GO_MS)),
};

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return leave(event);
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
