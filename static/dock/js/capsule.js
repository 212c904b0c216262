// The capsule is framed: what it opens in itself never becomes its address, and what fails says so in its place.
const complain = (text) => document.dispatchEvent(new CustomEvent("dock:toast", { detail: { text, tone: "bad" } }));

document.addEventListener("htmx:beforeHistoryUpdate", ({ detail }) => (detail.history.type = null));
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { xhr } = event.detail;
  if (xhr.status === 200 && !xhr.getResponseHeader("HX-Redirect")) return;
  event.preventDefault();
  complain("This could not be opened. It may be gone.");
});
// The page of the dock that opens files brings its own links back: a file is shown below the tree.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id === "pane") document.getElementById("pane")?.scrollIntoView({ block: "nearest" });
});

// Whoever frames it may give it the height that it has.
const main = document.getElementById("main");
const tell = () => window.parent.postMessage({ memdock: "capsule", height: main.scrollHeight }, "*");
if (main && window.parent !== window) new ResizeObserver(tell).observe(main);
