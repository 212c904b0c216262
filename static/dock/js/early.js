// Runs before the first paint, from <head>: the saved theme, and a mark that scripts run.
document.documentElement.classList.add("js");
try {
  const saved = localStorage.getItem("memdock.theme");
  if (saved === "light" || saved === "dark") document.documentElement.dataset.theme = saved;
} catch {
  // Storage is blocked: follow the system.
}
