// Before a step the agent is told what the parts have for it, in one message behind the person's own.
import { message, textOf } from "./messages.js";

// Each teller gets { session, step, query, signal } and gives { text, entered? }, or nothing. `entered` is called once
// the message is part of the session.
export function telling(ctx, tellers, { warn }) {
  const waiting = new Map(); // message id → what is called when it entered

  // One after the other: being asked about a session is how the server comes to know it. When it does not answer one,
  // it is not waited for again.
  async function told(asked) {
    const parts = [];
    try {
      for (const teller of tellers) parts.push(await teller(asked));
    } catch (error) {
      warn("the turn goes on without memory", error);
    }
    return parts.filter((part) => part?.text);
  }

  ctx.on(
    "agent/pre-step",
    async ({ agent, step, signal }, next) => {
      const decision = await next();
      if (decision.kind !== "enter" || signal.aborted) return decision;
      const asked = decision.messages.filter(({ source }) => source?.kind === "user");
      const query = asked.map(({ content }) => textOf(content)).filter(Boolean).join("\n");
      const parts = await told({ session: agent.session, step, query, signal });
      if (!parts.length) return decision;
      const ours = message(parts.map(({ text }) => text).join("\n\n"));
      waiting.set(ours.id, parts);
      return { ...decision, messages: [...decision.messages, ours] };
    },
    { prepend: true },
  );

  ctx.on("session/event", (_session, { type, data }) => {
    if (type !== "user/message" || !waiting.has(data?.id)) return;
    for (const { entered } of waiting.get(data.id)) entered?.();
    waiting.delete(data.id);
  });
}
