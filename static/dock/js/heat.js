// The heat map is a grid with one tab stop: up and down by day, left and right by week, Enter opens the link.
const days = (table) => {
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1));
  const weeks = Math.max(0, ...rows.map((row) => row.length));
  const inOrder = Array.from({ length: weeks }, (_, week) => rows.map((row) => row[week])).flat();
  return inOrder.map((cell) => cell?.querySelector("a")).map((link) => (link?.checkVisibility() ? link : null));
};

function setUp() {
  for (const table of document.querySelectorAll("table.heat")) {
    const links = days(table).filter(Boolean);
    const stop = links.find((link) => link.closest("[aria-selected=true]")) ?? links.at(-1);
    table.querySelectorAll("td a").forEach((link) => (link.tabIndex = link === stop ? 0 : -1));
  }
}

function go(from, to) {
  if (!to) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
  to.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// A day without entries is no link: go on in the same direction.
function next(links, at, step) {
  for (let place = at + step; place >= 0 && place < links.length; place += step) {
    if (links[place]) return links[place];
  }
  return null;
}

document.addEventListener("keydown", (event) => {
  const link = event.target.closest?.("table.heat td a");
  if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = days(link.closest("table"));
  const present = links.filter(Boolean);
  const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 7, ArrowLeft: -7 }[event.key];
  const to = { Home: present[0], End: present.at(-1) }[event.key] ?? (step && next(links, links.indexOf(link), step));
  if (to === undefined) return;
  event.preventDefault();
  go(link, to);
});
document.addEventListener("htmx:load", setUp);
setUp();
