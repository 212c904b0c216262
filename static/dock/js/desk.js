// The review desk: what needs a note asks for it, dialogs take the note along, u takes the last decision back.
const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
let wanting = null; // the button that asked for a note

const noteOf = () => document.getElementById("note");
const say = (text) => document.dispatchEvent(new CustomEvent("dock:say", { detail: { text } }));

function complain(note, text) {
  const error = document.getElementById("note-error");
  error.querySelector("span").textContent = text;
  error.hidden = false;
  note.setAttribute("aria-invalid", "true");
  note.focus({ preventScroll: true });
  say(text);
}

function onClick(event) {
  const button = event.target.closest("[data-needs-note], [data-takes-note]");
  const note = noteOf();
  if (!button || !note) return;
  if (button.dataset.takesNote) {
    const field = document.getElementById(button.dataset.takesNote);
    field.value ||= note.value;
  } else if (!note.value.trim()) {
    event.preventDefault();
    wanting = button;
    complain(note, button.dataset.needsNote);
  }
}

function inNote(event, note) {
  const isSending = event.key === "Enter" && (event.ctrlKey || event.metaKey) && wanting?.isConnected;
  if (event.key === "Escape") note.blur();
  else if (isSending) wanting.click();
  else return;
  event.preventDefault();
}

function undo(event) {
  if (event.key !== "u" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(TYPING)) return;
  if (document.querySelector("dialog[open], [data-keys-switch]:not(:checked)")) return;
  const button = document.querySelector("#toasts .toast form button");
  if (button) event.preventDefault();
  button?.click();
}

// A dialog that the server sends, or that a page without scripts shows in its place, is a real one here.
function openSent() {
  const dialog = document.querySelector("dialog[data-sent]");
  if (!dialog) return;
  dialog.removeAttribute("data-sent"); // What somebody closes stays closed.
  dialog.open = false;
  dialog.showModal();
}

document.addEventListener("click", onClick);
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented) return;
  if (event.target.id === "note") inNote(event, event.target);
  else undo(event);
});
document.addEventListener("input", ({ target }) => {
  if (target.id !== "note") return;
  target.removeAttribute("aria-invalid");
  document.getElementById("note-error").hidden = true;
});
document.addEventListener("htmx:afterSwap", openSent);
openSent();
