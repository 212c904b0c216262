// Pushes a session's events to MemDock from the server's cursor: what failed once goes with the next push.
import { queue } from "./queue.js";
import { deep, redact } from "./server.js";

const KEPT = new Set([
  "turn/start", "turn/end", "user/message", "assistant/message", "tool/call", "tool/result", "compaction/summary",
]);
const [BATCH, PUSH_MS, LONGEST] = [500, 5000, 40_000];

const HALF = LONGEST / 2;
const clip = (text) => (text.length > LONGEST ? `${text.slice(0, HALF)}\n…\n${text.slice(-HALF)}` : text);
// In this order: a clipped text may have lost the tag by which a private block is known.
const tidy = (text) => clip(redact(text));

// 0.2.x gives a snapshot, 0.1.x a getter; in both the number of an event is its place.
export function eventsFrom(session, first) {
  return typeof session.snapshotEvents === "function" ? session.snapshotEvents(first) : session.events.slice(first);
}

function facts(session) {
  const { cwd, createdAt, parentSession, origin } = session.header;
  return { id: session.id, cwd, created_at: createdAt, parent_session: parentSession, origin };
}

export function capture(ctx, call, { archives, warn }) {
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

  // A summary that is archived here already goes along with its turn.
  const pushedOn = new Set(archives ? ["turn/end"] : ["turn/end", "compaction/summary"]);
  const cursors = new Map(); // session id → number of the next event
  const pushes = queue(warn);

  async function cursorOf(id) {
    const path = `/sessions/${encodeURIComponent(id)}/cursor`;
    return cursors.get(id) ?? (await call("GET", path, undefined, { timeoutMs: PUSH_MS })).next_seq;
  }

  async function pushNow(session, final) {
    let cursor = await cursorOf(session.id);
    for (;;) {
      const slice = eventsFrom(session, cursor).slice(0, BATCH);
      if (!slice.length && !final) return;
      const next = slice.length ? slice.at(-1).seq + 1 : cursor;
      const events = slice.filter((event) => KEPT.has(event.type)).map((event) => deep(event, tidy));
      const about = { platform: "dsh", session: facts(session), transcript: pathOf(session) };
      const body = { ...about, from_seq: cursor, next_seq: next, final, events };
      await call("POST", "/events", body, { timeoutMs: PUSH_MS });
      cursors.set(session.id, (cursor = next));
      if (slice.length < BATCH) return;
    }
  }

  const push = (session, final = false) =>
    pushes.add(session.id, "events are kept for the next push", () => pushNow(session, final));

  // Not awaited by DSH, and a throw there is only logged; what DSH awaits is the flush before a headless run ends.
  ctx.on("session/event", (session, event) => void (pushedOn.has(event.type) && push(session)));
  ctx.on("session/flush", (session) => pushes.drain(session.id));
  // A sub-agent is through; any other session may be resumed, and is over when nothing comes any more.
  ctx.on("session/disposed", (session) => {
    void push(session, session.header.origin === "subagent").finally(() => cursors.delete(session.id));
  });

  return { settled: (id) => pushes.drain(id) };
}
