// The page's one voice: an event "dock:say" with {text} is read out by the live region #say.
document.addEventListener("dock:say", (event) => {
  const region = document.getElementById("say");
  if (!region) return;
  region.textContent = "";
  // The same words twice are read twice only when the region was seen empty in between.
  requestAnimationFrame(() => requestAnimationFrame(() => (region.textContent = event.detail.text)));
});
