// After an htmx swap the focus stays. When its element is gone: next row, else previous row, else the h1.
// A new page of a list puts it on the first row.
const ROWS = ".row :is(a.row-title, .row-title > a)";
let before = null;

const rows = (from = document) => [...from.querySelectorAll(ROWS)];

function heading() {
  const h1 = document.querySelector("main h1");
  if (h1) h1.tabIndex = -1;
  return h1;
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const active = document.activeElement;
  const isInside = active !== document.body && Boolean(detail.target?.contains(active));
  const isPage = Boolean(detail.requestConfig?.elt?.closest(".pager"));
  const at = rows().findIndex((row) => row.closest(".row").contains(active));
  before = detail.shouldSwap && (isInside || isPage) ? { id: detail.target.id, isPage, at } : null;
});

function settle(event) {
  if (!before) return;
  const { id, isPage, at } = before;
  if (isPage && event.type === "htmx:afterSettle") rows(document.getElementById(id) ?? document)[0]?.focus();
  else if (!isPage && document.activeElement === document.body) {
    (rows()[at] ?? rows()[at - 1] ?? heading())?.focus({ preventScroll: true });
  } else if (event.type !== "htmx:afterSettle") return;
  before = null;
}

// A deleted element settles nowhere: only its request is known to be over.
for (const sign of ["htmx:afterRequest", "htmx:afterSettle"]) document.addEventListener(sign, settle);
