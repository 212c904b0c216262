// A details with a .menu closes on Escape, on a press elsewhere, and when the focus leaves it.
const OPEN = "details[open]:has(> .menu)";

function closeAllBut(kept) {
  for (const menu of document.querySelectorAll(OPEN)) {
    if (!menu.contains(kept)) menu.open = false;
  }
}

document.addEventListener("click", (event) => closeAllBut(event.target));
document.addEventListener("focusin", (event) => closeAllBut(event.target));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector(OPEN);
  if (!menu) return;
  event.preventDefault();
  menu.open = false;
  menu.querySelector("summary").focus();
});
