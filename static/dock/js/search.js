// The search page: hits opened in place, facets folded on a phone, empty fields kept out of the address.
const PHONE = "(max-width: 45rem)";
const folded = new WeakSet();
const FIRST = "#results .row a.row-title";

async function toggle(link) {
  const box = document.getElementById(link.getAttribute("aria-controls"));
  const isOpen = link.getAttribute("aria-expanded") === "true";
  link.setAttribute("aria-expanded", String(!isOpen));
  box.hidden = isOpen;
  if (isOpen || box.hasChildNodes()) return;
  await window.htmx.ajax("GET", link.dataset.expand, { source: box, target: box, swap: "innerHTML" });
  if (!box.hasChildNodes()) location.assign(link.href);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-expand]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  toggle(link);
});

document.addEventListener("keydown", (event) => {
  const first = !event.defaultPrevented && event.key === "ArrowDown" && event.target.id === "q" && document.querySelector(FIRST);
  if (!first) return;
  event.preventDefault();
  first.focus();
});

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.target?.id !== "results") return;
  for (const [name, value] of [...detail.formData.entries()]) if (!value) detail.formData.delete(name);
});

// Once each: what the reader opens stays open.
function fold() {
  if (!matchMedia(PHONE).matches) return;
  for (const one of document.querySelectorAll("details[data-fold-phone]")) {
    if (!folded.has(one)) one.open = false;
    folded.add(one);
  }
}

fold();
document.addEventListener("htmx:afterSwap", fold);
