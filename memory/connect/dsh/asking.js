// Asks the memory plugins at moments of an agent's loop; what they know enters it as one message.
import { eventsFrom } from "./capture.js";
import { KIND, textOf } from "./messages.js";
import { executionOf, plain, seen } from "./observing.js";

const ASK_MS = 5000; // MemDock gives a plugin 3 s, and one more to stop

// The form is Patchouli's; the kind is ours, as DSH 0.2 refuses "plugin" and capture must know it from a person's.
function recalled({ content, source: { plugin, form } }) {
  return Object.freeze({ id: crypto.randomUUID(), role: "user", content, source: { kind: KIND, plugin, form } });
}

// Once a message of a person; the task of a sub-agent is another agent's.
const isAsked = ({ header }, messages) =>
  header.origin !== "subagent" && messages.some(({ source, content }) => source?.kind === "user" && textOf(content));

function eventsOf(session, turn) {
  const events = eventsFrom(session, 0);
  const start = events.findLastIndex(({ type, data }) => type === "turn/start" && data.turn === turn);
  return start < 0 ? [] : plain(events.slice(start));
}

export function asking(ctx, call, { policies, warn, ended }) {
  // Gives the message, or nothing.
  async function ask(agent, name, point, look, { signal = ended, isDue = () => true } = {}) {
    try {
      const policy = await policies.of(agent.session);
      if (!policy?.retrieve[name] || !isDue(policy) || signal.aborted) return undefined;
      const limits = { timeoutMs: ASK_MS, signal: AbortSignal.any([signal, ended]) };
      const { message } = await call("POST", "/agent-loop/retrieve", { point, data: look() }, limits);
      return message ? recalled(message) : undefined;
    } catch (error) {
      if (!signal.aborted && !ended.aborted) warn(`${point} goes on without memory`, error);
      return undefined;
    }
  }

  beginnings(ctx, ask);
  steps(ctx, ask);
  results(ctx, ask);
}

// DSH 0.2 says at an agent's creation what 0.1 says in an event of its own. Neither waits for the memory.
function beginnings(ctx, ask) {
  const begun = new WeakSet();
  async function begin({ agent, source }) {
    if (source === undefined || begun.has(agent)) return;
    begun.add(agent);
    const told = await ask(agent, "sessionStart", "agent/session-start", () => seen(agent, { source }));
    if (told) agent.inject?.(told);
  }
  ctx.on("agent/created", (payload) => void begin(payload));
  ctx.on("agent/session-start", (payload) => void begin(payload));
}

function steps(ctx, ask) {
  ctx.on(
    "agent/pre-step",
    async ({ agent, turn, step, signal }, next) => {
      const decision = await next();
      if (decision.kind !== "enter" || signal.aborted) return decision;
      const { messages } = decision;
      const isDue = ({ recall }) => recall.everyStep || isAsked(agent.session, messages);
      const look = () => seen(agent, { turn, step, messages });
      const told = await ask(agent, "preStep", "agent/pre-step", look, { signal, isDue });
      return told ? { ...decision, messages: [...messages, told] } : decision;
    },
    { prepend: true },
  );
  ctx.on("agent/turn-stopping", async ({ agent, turn, signal }) => {
    const look = () => {
      const data = seen(agent, { turn });
      return { ...data, session: { ...data.session, events: eventsOf(agent.session, turn) } };
    };
    const told = await ask(agent, "turnStopping", "agent/turn-stopping", look, { signal });
    if (told) agent.inject?.(told);
  });
}

function results(ctx, ask) {
  ctx.on("tools/post-execute", async (execution, result, next) => {
    const decision = await next();
    const { agent, signal } = execution;
    if (!agent || signal?.aborted) return decision;
    const look = () => seen(agent, { execution: executionOf(execution), result, decision });
    const told = await ask(agent, "toolPostExecute", "tools/post-execute", look, { signal });
    return told ? { ...decision, additionalContexts: [...(decision.additionalContexts ?? []), told] } : decision;
  });
}
