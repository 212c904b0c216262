// A row of tabs that is wider than the screen shows the current one.
for (const current of document.querySelectorAll(".tabs > [aria-current]")) {
  const tabs = current.parentElement;
  if (tabs.scrollWidth > tabs.clientWidth) tabs.scrollLeft = current.offsetLeft - tabs.offsetLeft - tabs.clientWidth / 4;
}
