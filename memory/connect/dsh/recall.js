// Before the first step of a turn: what MemDock knows of the question, and what a person left for the agent.
const [RECALL_MS, SHORTEST, LONGEST] = [1500, 3, 2000];

const textOf = (content) =>
  (Array.isArray(content) ? content : [])
    .filter((block) => block?.type === "text" && typeof block.text === "string")
    .map((block) => block.text)
    .join("\n")
    .trim();

export function recall(ctx, call, { name, warn }) {
  async function told(session, query, signal) {
    const body = { session: session.id, cwd: session.header.cwd, query: query.slice(0, LONGEST) };
    return (await call("POST", "/recall", body, { timeoutMs: RECALL_MS, signal })).text.trim();
  }

  async function messages(session, signal) {
    const path = `/agent-inbox?session=${encodeURIComponent(session.id)}`;
    const { items } = await call("GET", path, undefined, { timeoutMs: RECALL_MS, signal });
    // Acknowledged once they are on their way into the turn: what is lost before that comes again.
    setTimeout(() => items.forEach(({ id }) => void quietly(call("POST", `/agent-inbox/${id}/ack`, {}, { timeoutMs: RECALL_MS }))));
    return items.map(({ id, text }) => `[memdock message ${id}] ${text}`).join("\n\n");
  }

  async function quietly(promise) {
    try {
      return await promise;
    } catch (error) {
      warn("the turn goes on without memory", error);
      return "";
    }
  }

  ctx.on(
    "agent/pre-step",
    async ({ agent, step, signal }, next) => {
      const decision = await next();
      if (step !== 1 || decision.kind !== "enter" || signal.aborted) return decision;
      const asked = decision.messages.filter((message) => message.source?.kind === "user");
      const query = asked.map((message) => textOf(message.content)).filter(Boolean).join("\n");
      if (query.length < SHORTEST || agent.session.header.origin === "subagent") return decision;
      const parts = await Promise.all([
        quietly(told(agent.session, query, signal)),
        quietly(messages(agent.session, signal)),
      ]);
      const text = parts.filter(Boolean).join("\n\n");
      if (!text) return decision;
      // A kind of its own: DSH 0.2 refuses "plugin", and capture must know the message from a person's.
      const source = { kind: name, form: "snapshot", sections: [{ name, text }] };
      const message = { id: crypto.randomUUID(), role: "user", content: [{ type: "text", text }], source };
      return { ...decision, messages: [...decision.messages, Object.freeze(message)] };
    },
    { prepend: true },
  );
}
