// Tells the memory plugins what happened in an agent's loop, in its order, with what can be seen at the moment.
import { executionOf, seen } from "./observing.js";

const TELL_MS = 5000;

export function reporting(ctx, call, { lines, policies, warn, ended }) {
  function tell(agent, name, point, extra = {}) {
    try {
      const { session } = agent;
      if (policies.isOff(session, "store", name)) return;
      const body = { point, data: seen(agent, extra), requestId: crypto.randomUUID() };
      void lines.add(session.id, `${point} is not told`, async () => {
        const policy = await policies.of(session);
        if (policy?.store[name]) await call("POST", "/agent-loop/updates", body, { timeoutMs: TELL_MS, signal: ended });
      });
    } catch (error) {
      warn(`${point} is not told`, error);
    }
  }

  ctx.on("agent/created", ({ agent }) => tell(agent, "agentCreated", "agent/created"));
  ctx.on("agent/disposed", ({ agent }) => tell(agent, "agentDisposed", "agent/disposed"));
  ctx.on("agent/error", ({ agent, turn, step, error }) =>
    tell(agent, "agentError", "agent/error", { turn, step, error }),
  );
  ctx.on("agent/request-error", ({ agent, turn, step, provider, failure, retryPolicy }, next) => {
    tell(agent, "requestError", "agent/request-error", { turn, step, provider, failure, retryPolicy });
    return next();
  });
  ctx.on("tools/result", (execution, result) => {
    if (!execution.agent) return;
    tell(execution.agent, "toolResult", "tools/result", { execution: executionOf(execution), result });
  });
}
