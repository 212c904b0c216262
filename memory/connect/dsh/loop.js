// The agent's loop, for the memory plugins of MemDock: they are told and asked at the moments that the project wants.
// Nothing is added to what they say, and nothing that goes wrong here changes the loop.
import { asking } from "./asking.js";
import { queue } from "./queue.js";
import { reporting } from "./reporting.js";
import { turns } from "./turns.js";

export function loop(ctx, call, { captured, policies, warn }) {
  const ending = new AbortController();
  const { signal: ended } = ending;
  const lines = queue(warn);
  const shared = { lines, policies, warn, ended };

  reporting(ctx, call, shared);
  asking(ctx, call, shared);
  const { isOwnFlush, forget } = turns(ctx, call, { ...shared, captured });

  ctx.on("session/flush", (session) => (isOwnFlush() ? undefined : lines.drain(session.id)));
  ctx.on("session/disposed", async ({ id }) => {
    await lines.drain(id);
    policies.forget(id);
    forget(id);
  });
  // What was admitted has a moment to arrive; nothing new is.
  ctx.effect?.(() => async () => {
    lines.close();
    await lines.rest();
    ending.abort(new Error("MemDock's plugin ends"));
  });
}
