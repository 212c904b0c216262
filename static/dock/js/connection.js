// The state of the feed in words, in every .conn that has .conn-words.
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

const WORDS = {
  live: () => "Live",
  reconnecting: ({ seen }) => (seen ? `Reconnecting, last change ${clock.format(seen)}` : "Reconnecting"),
  offline: ({ since }) => `Offline since ${clock.format(since)}`,
  "signed-out": () => "Signed out",
  refused: () => "No live updates here",
};

function fill(words, detail) {
  const text = WORDS[detail.state](detail);
  const { signIn } = document.body.dataset;
  if (detail.state !== "signed-out" || !signIn) {
    words.textContent = text;
    return;
  }
  const link = Object.assign(document.createElement("a"), { href: signIn, textContent: `${text}, sign in` });
  words.replaceChildren(link);
}

document.addEventListener("memory:connection", ({ detail }) => {
  for (const conn of document.querySelectorAll(".conn:has(> .conn-words)")) {
    conn.dataset.state = detail.state === "refused" ? "offline" : detail.state;
    fill(conn.querySelector(".conn-words"), detail);
    // "Live" on every new page is no news: it is read out only after something else was.
    if (detail.state !== "live") conn.removeAttribute("aria-live");
  }
});
