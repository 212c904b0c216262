// Pushes a session's events to MemDock from the server's cursor: what failed once goes with the next push.
const KEPT = new Set([
  "turn/start", "turn/end", "user/message", "assistant/message", "tool/call", "tool/result", "compaction/summary",
]);
const PUSHED_ON = new Set(["turn/end", "compaction/summary"]);
const [BATCH, PUSH_MS, DRAIN_MS, LONGEST] = [500, 5000, 3000, 40_000];

const clip = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST / 2)}\n…\n${text.slice(-LONGEST / 2)}` : text);

// 0.2.x gives a snapshot, 0.1.x a getter; in both the number of an event is its place.
function eventsFrom(session, first) {
  return typeof session.snapshotEvents === "function" ? session.snapshotEvents(first) : session.events.slice(first);
}

function facts(session) {
  const { cwd, createdAt, parentSession, origin } = session.header;
  return { id: session.id, cwd, created_at: createdAt, parent_session: parentSession, origin };
}

export function capture(ctx, call, { deep, warn }) {
  // Where DSH keeps the conversation; the service may be absent, and then MemDock looks it up by the session's id.
  let locate = () => undefined;
  ctx.inject(["sessionPersistence"], (scope) => {
    locate = (session) => scope.sessionPersistence.locate?.(session.header)?.path;
  });
  const pathOf = (session) => {
    try {
      return locate(session);
    } catch {
      return undefined;
    }
  };

  const states = new Map(); // session id → { cursor, tail, waiting }
  const stateOf = (id) => states.get(id) ?? states.set(id, { cursor: null, tail: Promise.resolve(), waiting: 0 }).get(id);

  async function pushNow(session, final) {
    const state = stateOf(session.id);
    const path = `/sessions/${encodeURIComponent(session.id)}/cursor`;
    state.cursor ??= (await call("GET", path, undefined, { timeoutMs: PUSH_MS })).next_seq;
    for (;;) {
      const slice = eventsFrom(session, state.cursor).slice(0, BATCH);
      if (!slice.length && !final) return;
      const next = slice.length ? slice.at(-1).seq + 1 : state.cursor;
      const events = slice.filter((event) => KEPT.has(event.type)).map((event) => deep(event, clip));
      const about = { platform: "dsh", session: facts(session), transcript: pathOf(session) };
      const body = { ...about, from_seq: state.cursor, next_seq: next, final, events };
      await call("POST", "/events", body, { timeoutMs: PUSH_MS });
      state.cursor = next;
      if (slice.length < BATCH) return;
    }
  }

  function push(session, final = false) {
    const state = stateOf(session.id);
    state.waiting += 1;
    state.tail = state.tail
      .then(() => pushNow(session, final))
      .catch((error) => warn("events are kept for the next push", error))
      .finally(() => (state.waiting -= 1));
    return state.tail;
  }

  function drain(session) {
    const state = states.get(session.id);
    if (!state?.waiting) return undefined;
    let timer;
    const limit = new Promise((resolve) => (timer = setTimeout(resolve, DRAIN_MS)));
    return Promise.race([state.tail, limit]).finally(() => clearTimeout(timer));
  }

  // Not awaited by DSH, and a throw there is only logged; what DSH awaits is the flush before a headless run ends.
  ctx.on("session/event", (session, event) => void (PUSHED_ON.has(event.type) && push(session)));
  ctx.on("session/flush", drain);
  ctx.on("session/disposed", (session) => void push(session, true).finally(() => states.delete(session.id)));
}
