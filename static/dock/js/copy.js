// data-copy copies the text of the <pre> or <code> in the same .copy, or the attribute's own value when it has one.
const SHOWN_MS = 2000;

function select(source) {
  const range = document.createRange();
  range.selectNodeContents(source);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

async function write(text, source) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard outside a secure context: select it, so that Ctrl-C is left to press.
    if (source) select(source);
    return false;
  }
}

function show(button, word) {
  document.dispatchEvent(new CustomEvent("dock:say", { detail: { text: word } }));
  const label = button.querySelector("[data-copy-label]");
  if (!label) return;
  button.dataset.copyIdle ??= label.textContent;
  label.textContent = word;
  setTimeout(() => (label.textContent = button.dataset.copyIdle), SHOWN_MS);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = button.closest(".copy")?.querySelector("pre, code");
  const text = button.dataset.copy || source?.textContent;
  if (text) show(button, (await write(text, source)) ? "Copied" : "Selected, press Ctrl-C");
});
