// At the start of a turn: what MemDock knows of the question, and what a person left for the agent.
import { redact } from "./server.js";

const [RECALL_MS, SHORTEST, LONGEST] = [1500, 3, 2000];

const isAsked = ({ session, step, query }) =>
  step === 1 && query.length >= SHORTEST && session.header.origin !== "subagent";

// Silent where the loop tells what all memory plugins know, MemDock's own among them.
export function recall(call, policies) {
  return async (asked) => {
    if (!isAsked(asked)) return undefined;
    if ((await policies?.of(asked.session))?.recall.form === "json") return undefined;
    const { session, signal } = asked;
    const body = { session: session.id, cwd: session.header.cwd, query: redact(asked.query).slice(0, LONGEST) };
    const { text } = await call("POST", "/recall", body, { timeoutMs: RECALL_MS, signal });
    return { text: text.trim() };
  };
}

export function inbox(call, { warn }) {
  const acknowledge = ({ id }) =>
    call("POST", `/agent-inbox/${id}/ack`, {}, { timeoutMs: RECALL_MS }).catch((error) =>
      warn(`message ${id} comes again`, error),
    );

  return async (asked) => {
    if (!isAsked(asked)) return undefined;
    const path = `/agent-inbox?session=${encodeURIComponent(asked.session.id)}`;
    const { items } = await call("GET", path, undefined, { timeoutMs: RECALL_MS, signal: asked.signal });
    const text = items.map(({ id, text: said }) => `[memdock message ${id}] ${said}`).join("\n\n");
    return { text, entered: () => items.forEach(acknowledge) };
  };
}
