// Elements with data-live="entry session …", an id and data-src fetch themselves again when such a change arrives.
const [WAIT_MS, TOP_PX] = [15, 80];
const jobs = new Map(); // id → {timer, busy, again, turn}
const held = new Set(); // ids whose news would disturb the reader

const find = (id) => document.getElementById(id);
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
const jobOf = (id) => jobs.get(id) ?? jobs.set(id, { turn: 0 }).get(id);

function wants(element, change) {
  return !change || element.dataset.live.split(/\s+/).some((kind) => kind === "*" || kind === change.kind.split(".")[0]);
}

function disturbs(element) {
  const mode = element.dataset.liveMode;
  if (mode === "count") return false;
  const paused = document.querySelector("[data-live-pause][aria-pressed=true]");
  return Boolean(paused) || element.contains(document.activeElement) || (mode === "pill" && scrollY > TOP_PX);
}

function hold({ id, dataset }, change) {
  held.add(id);
  if (dataset.liveMode === "pill") tell("memory:held", { id, change });
}

function arrive(change) {
  for (const element of document.querySelectorAll("[data-live][id]")) {
    if (!wants(element, change)) continue;
    if (document.hidden || disturbs(element)) hold(element, change);
    else schedule(element.id);
  }
}

function schedule(id) {
  const job = jobOf(id);
  if (job.busy) job.again = true;
  else job.timer ??= setTimeout(run, WAIT_MS, id, job);
}

async function run(id, job) {
  Object.assign(job, { timer: null, busy: true, again: false });
  await load(id, disturbs);
  job.busy = false;
  if (job.again) schedule(id);
}

async function fetchFragment(element) {
  const headers = { "HX-Request": "true", "HX-Target": element.id, "HX-Current-URL": location.href };
  const answer = await fetch(element.dataset.src || location.href, { headers, cache: "no-store" });
  const box = document.createElement("template");
  if (answer.ok && !answer.redirected) box.innerHTML = await answer.text();
  return box.content.querySelector(`#${CSS.escape(element.id)}`);
}

async function load(id, isUnwelcome) {
  const turn = ++jobOf(id).turn;
  const fresh = find(id) && (await fetchFragment(find(id)).catch(() => null));
  const element = find(id);
  if (!element || turn !== jobOf(id).turn) return;
  // Without an answer the page stays as it is: the next change, or the feed after its next connection, asks again.
  if (!fresh) return void held.add(id);
  if (isUnwelcome(element)) return hold(element);
  held.delete(id);
  for (const row of fresh.querySelectorAll(".row[id]")) row.toggleAttribute("data-fresh", !find(row.id));
  window.htmx?.swap(element, fresh.outerHTML, { swapStyle: "morph", swapDelay: 0, settleDelay: 0 }, { contextElement: element });
  tell("memory:shown", { id });
}

function retry() {
  for (const id of document.hidden ? [] : held) if (find(id) && !disturbs(find(id))) schedule(id);
}

document.addEventListener("memory:changed", (event) => arrive(event.detail));
document.addEventListener("memory:resync", () => arrive(null));
document.addEventListener("memory:release", async () => {
  await Promise.all([...held].map((id) => load(id, () => false)));
  tell("memory:released");
});
for (const sign of ["memory:retry", "visibilitychange"]) document.addEventListener(sign, retry);
document.addEventListener("memory:connection", ({ detail }) => detail.state === "live" && retry());
// A list waits for its pill; anything else takes up its news when the reader leaves it.
document.addEventListener("focusout", () => setTimeout(() => document.querySelector(".new-pill [data-pill]:not([hidden])") || retry()));
