// What waits for the reader of a list: "3 new" in the .new-pill, and the pause button.
const SAY_MS = 10_000;
const waiting = new Set();
const title = document.title;
let isUncounted = false;
let saidAt = -SAY_MS;
let timer;

const tell = (name) => document.dispatchEvent(new CustomEvent(name));
const words = () => (isUncounted ? "New changes" : `${waiting.size} new`);

// The region is read out when the hidden words change, which they do at most every ten seconds.
function say(link) {
  const region = link.querySelector("[data-pill-said]");
  clearTimeout(timer);
  if (link.hidden) {
    region.textContent = "";
    return;
  }
  timer = setTimeout(() => {
    saidAt = performance.now();
    region.textContent = words();
  }, Math.max(0, saidAt + SAY_MS - performance.now()));
}

function paint() {
  const link = document.querySelector(".new-pill [data-pill]");
  if (!link) return;
  link.hidden = !isUncounted && !waiting.size;
  link.querySelector("[data-pill-shown]").textContent = words();
  document.title = link.hidden ? title : `(${words()}) ${title}`;
  say(link);
}

document.addEventListener("memory:held", ({ detail: { change } }) => {
  if (change) waiting.add(change.id);
  else isUncounted = true;
  paint();
});

document.addEventListener("memory:shown", ({ detail: { id } }) => {
  if (document.getElementById(id)?.dataset.liveMode !== "pill") return;
  waiting.clear();
  isUncounted = false;
  paint();
});

document.addEventListener("memory:released", () => {
  scrollTo({ top: 0 });
  document.querySelector("[data-live-mode=pill] :is(a.row-title, .row-title > a)")?.focus();
});

document.addEventListener("click", (event) => {
  const pause = event.target.closest("[data-live-pause]");
  if (pause) {
    pause.setAttribute("aria-pressed", String(pause.getAttribute("aria-pressed") !== "true"));
    tell("memory:retry");
  }
  if (!event.target.closest("[data-pill]")) return;
  event.preventDefault();
  tell("memory:release");
});
