// The feed: one websocket from the last change seen. It tells the page by events on document:
// "memory:changed" (the change), "memory:resync", "memory:connection" ({state, since, seen}).
const [FIRST_MS, LONGEST_MS] = [500, 30_000];
const [BEATS, TRIES_BEFORE_OFFLINE] = [2.5, 4];
const ENDS = { 4401: "signed-out", 4403: "refused", 4404: "refused" };

const { liveUrl, liveProject, liveSince } = document.body.dataset;
let last = Number(liveSince) || 0;
let seen = null; // when the last change happened
let lost = null; // since when there is no connection
let beat = 15;
let tries = 0;
let ended = false;
let socket, watchdog, retry;

const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

function address() {
  const url = new URL(liveUrl, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("since", last);
  if (liveProject) url.searchParams.set("project", liveProject);
  return url;
}

const ON = {
  hello({ heartbeat_s: seconds }) {
    beat = seconds || beat;
    tries = 0;
    lost = null;
    tell("memory:connection", { state: "live" });
  },
  change({ change }) {
    last = Math.max(last, change.id);
    seen = new Date(change.at);
    tell("memory:changed", change);
  },
  resync({ latest }) {
    last = latest;
    tell("memory:resync");
  },
  ping: () => socket.send('{"type":"pong"}'),
};

function connect() {
  clearTimeout(retry);
  if (ended || socket?.readyState <= WebSocket.OPEN) return;
  const mine = (socket = new WebSocket(address()));
  const alive = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => lose(mine), beat * BEATS * 1000);
  };
  mine.onmessage = ({ data }) => {
    if (mine !== socket) return;
    alive();
    const message = JSON.parse(data);
    ON[message.type]?.(message);
  };
  mine.onclose = ({ code }) => lose(mine, code);
  alive();
}

function lose(mine, code) {
  if (mine !== socket) return;
  socket = null;
  clearTimeout(watchdog);
  mine.close();
  lost ??= new Date();
  ended = code in ENDS;
  const waiting = tries < TRIES_BEFORE_OFFLINE && navigator.onLine ? "reconnecting" : "offline";
  tell("memory:connection", { state: ENDS[code] ?? waiting, since: lost, seen });
  // Half to one and a half of the step, so that many pages do not come back at once.
  if (!ended) retry = setTimeout(connect, Math.min(LONGEST_MS, FIRST_MS * 2 ** tries++) * (0.5 + Math.random()));
}

if (liveUrl) {
  for (const sign of ["online", "pageshow"]) addEventListener(sign, connect);
  document.addEventListener("visibilitychange", () => document.hidden || connect());
  connect();
}
