// The theme switch: buttons with data-theme-choice="system|light|dark".
const root = document.documentElement;

function choose(choice) {
  if (choice === "system") delete root.dataset.theme;
  else root.dataset.theme = choice;
  try {
    if (choice === "system") localStorage.removeItem("memdock.theme");
    else localStorage.setItem("memdock.theme", choice);
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
}

function show() {
  const current = root.dataset.theme ?? "system";
  for (const button of document.querySelectorAll("[data-theme-choice]")) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === current));
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-theme-choice]");
  if (!button) return;
  choose(button.dataset.themeChoice);
  show();
});
show();
