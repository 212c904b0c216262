// The search box completes its language: names of filters, then their values, asked of the dock for the word at the cursor.
const WORD = /(?:^|\s)([a-z]+:"[^"]*|[^\s"]+)$/;
const WAIT_MS = 80;
const field = document.getElementById("q");
const list = document.getElementById("q-options");
let [timer, asking] = [0, null];

const options = () => [...list.children];
const chosen = () => list.querySelector("[aria-selected=true]");

function word() {
  const { value, selectionStart: end, selectionEnd } = field;
  const found = end === selectionEnd && !/^\S/.test(value.slice(end)) && value.slice(0, end).match(WORD);
  if (!found) return null;
  const start = end - found[1].length;
  const isInPhrase = value.slice(0, start).split('"').length % 2 === 0;
  return isInPhrase ? null : { text: found[1], start, end };
}

function close() {
  clearTimeout(timer);
  asking?.abort();
  list.hidden = true;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function choose(option) {
  chosen()?.setAttribute("aria-selected", "false");
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", option.id);
}

function accept(option) {
  const at = word();
  if (!at) return close();
  const text = option.dataset.text;
  field.setRangeText(text.endsWith(":") ? text : `${text} `, at.start, at.end, "end");
  close();
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

function show(html) {
  list.innerHTML = html;
  if (!list.childElementCount) return close();
  list.hidden = false;
  field.setAttribute("aria-expanded", "true");
  field.removeAttribute("aria-activedescendant");
}

async function ask() {
  const asked = word();
  if (!asked) return close();
  const query = new URLSearchParams({ word: asked.text, project: field.form.elements.project?.value ?? "" });
  asking = new AbortController();
  const options = { headers: { "HX-Request": "true" }, signal: asking.signal };
  const answer = await fetch(`${field.dataset.complete}?${query}`, options).catch(() => null); // Offline, nothing is offered.
  const html = answer?.ok && !answer.redirected ? await answer.text().catch(() => "") : "";
  if (document.activeElement === field && word()?.text === asked.text) show(html);
}

function onKey(event) {
  if (list.hidden || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const [all, step] = [options(), { ArrowDown: 1, ArrowUp: -1 }[event.key]];
  const at = all.indexOf(chosen());
  const taken = { Enter: chosen(), Tab: chosen() ?? all[0] }[event.key];
  if (step) choose(all.at(at < 0 && step < 0 ? -1 : (at + step) % all.length));
  else if (taken) accept(taken);
  else if (event.key === "Escape") close();
  else return /^(Arrow|Home|End)/.test(event.key) ? close() : undefined; // The cursor leaves the word.
  event.preventDefault();
}

if (field && list) {
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false" }))
    field.setAttribute(name, value);
  field.addEventListener("keydown", onKey);
  field.addEventListener("input", () => {
    clearTimeout(timer);
    asking?.abort();
    timer = setTimeout(ask, WAIT_MS);
  });
  for (const sign of ["blur", "search", "pointerdown"]) field.addEventListener(sign, close);
  field.form.addEventListener("submit", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // The focus stays in the box.
  list.addEventListener("click", (event) => event.target.closest("[role=option]") && accept(event.target.closest("[role=option]")));
}
