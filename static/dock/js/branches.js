// A branch of the tree opens and closes; a closed one with data-src fetches its children when it opens first.
async function grow(item) {
  item.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(item.dataset.src, { headers: { "HX-Request": "true" } });
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const { body } = new DOMParser().parseFromString(await answer.text(), "text/html");
    const group = document.createElement("ul");
    group.setAttribute("role", "group");
    group.append(...(body.querySelector(":scope > [role=group]") ?? body).children);
    item.append(group);
    window.htmx?.process(group);
    document.dispatchEvent(new CustomEvent("tree:grown"));
  } finally {
    item.removeAttribute("aria-busy");
  }
}

document.addEventListener("tree:flip", async ({ target: item }) => {
  const opens = item.getAttribute("aria-expanded") === "false";
  if (item.hasAttribute("aria-busy")) return;
  try {
    if (opens && item.dataset.src && !item.querySelector(":scope > [role=group]")) await grow(item);
    item.setAttribute("aria-expanded", String(opens));
  } catch {
    const name = item.querySelector(":scope > .tree-row").textContent.trim();
    const detail = { text: `${name} could not be opened. Try again.`, tone: "bad" };
    document.dispatchEvent(new CustomEvent("dock:toast", { detail }));
  }
});
