// data-dialog="ID" opens a <dialog>, data-close closes the one around it. Focus and Escape are the browser's.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-dialog], dialog [data-close]");
  if (!button) return;
  event.preventDefault();
  if (button.dataset.dialog) document.getElementById(button.dataset.dialog)?.showModal();
  else button.closest("dialog").close();
});
