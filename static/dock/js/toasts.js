// Toasts leave after ten seconds unless hovered or focused; errors stay. "dock:toast" with {text, tone} adds one.
const STAY_MS = 10_000;

function leaveSoon(toast) {
  setTimeout(() => {
    if (toast.matches(":hover, :focus-within")) leaveSoon(toast);
    else toast.remove();
  }, STAY_MS);
}

function watch(toast) {
  document.dispatchEvent(new CustomEvent("dock:say", { detail: { text: toast.querySelector("p").textContent } }));
  if (toast.dataset.tone !== "bad") leaveSoon(toast);
}

function add({ text, tone = "info" }) {
  const template = document.querySelector(`template[data-toast="${tone}"]`) ?? document.querySelector("template[data-toast]");
  const box = document.getElementById("toasts");
  if (!template || !box || !text) return;
  const toast = template.content.firstElementChild.cloneNode(true);
  toast.querySelector("p").textContent = text;
  box.append(toast);
  watch(toast);
}

document.addEventListener("dock:toast", (event) => add(event.detail));
document.addEventListener("click", (event) => event.target.closest(".toast [data-close]")?.closest(".toast").remove());
document.querySelectorAll("#toasts > .toast").forEach(watch);
