// Tells the memory plugins of every turn that ended, whole and as DSH stored it. What MemDock has not taken goes with
// the next turn: it says which event of the session it expects.
import { AsyncLocalStorage } from "node:async_hooks";
import { eventsFrom } from "./capture.js";
import { agentOf, headerOf, plain } from "./observing.js";
import { within } from "./queue.js";

const [PUSH_MS, STORED_MS] = [10_000, 2000];
const REFUSED = new Set([413, 422]);

// Asks DSH to store the session, and reads it back: 0.2 by a handle, 0.1 by a call.
function storing(ctx) {
  const own = new AsyncLocalStorage();
  let services;
  ctx.inject(["sessions", "sessionPersistence"], ({ sessions, sessionPersistence: store }) => {
    services = { sessions, store }; // now: the scope itself gives none later
  });

  async function read(session, first) {
    const { sessions, store } = services;
    await own.run(true, () => sessions.flush(session)).catch(() => {}); // a session that ends is stored by its end
    if (typeof store.readFrom === "function") {
      const { meta: header, events } = await store.readFrom(session.id, first);
      return { header, events };
    }
    const handle = await store.open(session.id, "read");
    try {
      const { events } = await handle.read(first);
      return { header: handle.header, events };
    } finally {
      await handle.close();
    }
  }

  return {
    // The flush that is asked for here must not wait for the one who asks.
    isOwnFlush: () => own.getStore() === true,
    read: (session, first) => (services ? within(read(session, first), STORED_MS) : undefined),
  };
}

// The events from one number to another, from the store, or where that lags or cannot be read from this process.
async function logged(session, { first, last, stored, warn }) {
  try {
    const found = await stored.read(session, first);
    const events = found?.events.filter(({ seq }) => seq >= first && seq <= last);
    if (events?.at(-1)?.seq === last && events.every(({ seq }, place) => seq === events[0].seq + place)) {
      return { header: found.header, events };
    }
  } catch (error) {
    warn("a turn is told as this process knows it", error);
  }
  return { header: session.header, events: eventsFrom(session, first).filter(({ seq }) => seq <= last) };
}

// The turns that begin and end in these events, each with all that lies between.
function* whole(events) {
  let start;
  for (const [place, event] of events.entries()) {
    if (event.type === "turn/start") start = place;
    if (event.type !== "turn/end" || start === undefined) continue;
    yield { event, events: events.slice(start, place + 1) };
    start = undefined;
  }
}

export function turns(ctx, call, { captured, lines, policies, warn, ended }) {
  const living = new Map(); // session id → its agent
  const agents = new Map(); // session id and number of a turn's end → the agent as it was then
  const next = new Map(); // session id → number of the event that is expected
  const stored = storing(ctx);

  async function tell(session, header, { event, events }) {
    const key = `${session.id}/${event.seq}`;
    const agent = agents.get(key) ?? { id: session.id, options: {} };
    const data = { agent, session: { header: headerOf(session, header) }, event: plain(event), events: plain(events) };
    const body = { point: "session/turn-end", data };
    try {
      await call("POST", "/agent-loop/updates", body, { timeoutMs: PUSH_MS, signal: ended });
    } catch (error) {
      if (!REFUSED.has(error.status)) throw error;
      warn(`turn ${event.data.turn} is not told`, error.told ?? error);
    }
    agents.delete(key);
    next.set(session.id, event.seq + 1);
  }

  async function deliver(session, last) {
    await captured(session.id); // the journal has the turn first, with the place of its transcript
    const policy = await policies.of(session);
    if (!policy) throw new Error("MemDock does not answer");
    const first = next.get(session.id) ?? policy.nextSeq;
    if (policy.store.turnEnd) {
      const { header, events } = await logged(session, { first, last, stored, warn });
      for (const turn of whole(events)) await tell(session, header, turn);
    }
    next.set(session.id, Math.max(first, last + 1));
  }

  ctx.on("agent/created", ({ agent }) => void living.set(agent.session.id, agent));
  ctx.on("agent/disposed", ({ agent }) => void living.delete(agent.session.id));
  ctx.on("session/event", (session, { type, seq }) => {
    if (type !== "turn/end") return;
    const agent = living.get(session.id);
    if (agent) agents.set(`${session.id}/${seq}`, agentOf(agent));
    void lines.add(session.id, "a turn is told with the next one", () => deliver(session, seq));
  });

  return { isOwnFlush: stored.isOwnFlush, forget: (id) => void next.delete(id) };
}
