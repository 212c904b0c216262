// MemDock for DeepSeek Harness 0.1 and 0.2. Plain modules, no build, and nothing imported from DSH, whose packages
// cannot be resolved from a linked plugin. Each part can be switched off by its name in the plugin's config.
import { capture } from "./capture.js";
import { compactions } from "./compaction.js";
import { engram } from "./engram.js";
import { loop } from "./loop.js";
import { memoryTools } from "./memory_tools.js";
import { KIND } from "./messages.js";
import { learnings, prompts } from "./notes.js";
import { policies } from "./policies.js";
import { protocol } from "./protocol.js";
import { queue } from "./queue.js";
import { inbox, recall } from "./recall.js";
import { connect } from "./server.js";
import { sessions } from "./sessions.js";
import { skill } from "./skill.js";
import { telling } from "./telling.js";
import { tools } from "./tools.js";
import { web } from "./web.js";

export const name = KIND;
export const inject = [];

export function apply(ctx, config = {}) {
  const off = process.env.MEMDOCK_DISABLE;
  if ((off && off !== "0") || process.env.MEMSEARCH_DSH_SUMMARIZE === "1") return;
  const { url } = config;
  const has = (part) => config[part] !== false;
  const warn = (what, error) =>
    ctx.logger?.warn?.(`[memdock] ${what}: ${error?.cause?.code ?? error?.message ?? error}`);

  const call = connect({ url });
  const request = engram(config);
  const own = sessions(request, { warn });
  const line = queue(warn);
  const shared = { request, own, line, warn, name };

  if (has("tools")) tools(ctx, shared);
  if (has("tools") && has("protocol")) protocol(ctx);
  if (has("prompts")) prompts(ctx, shared);
  if (has("learnings")) learnings(ctx, shared);
  if (has("skill")) skill(ctx, shared);
  if (has("web")) web(ctx, { url, warn });
  const pushes = has("capture") ? capture(ctx, call, { archives: has("compaction"), warn }) : undefined;
  const held = has("loop") ? policies(call, { warn }) : undefined;
  // Before the other tellers: they are to know the session, and the plugins are to see what persons said.
  if (held) loop(ctx, call, { captured: (id) => pushes?.settled(id), policies: held, warn });
  if (held) memoryTools(ctx, call, { warn });
  const tellers = [
    has("compaction") && compactions(ctx, shared),
    has("recall") && recall(call, held),
    has("inbox") && inbox(call, { warn }),
  ].filter(Boolean);
  if (tellers.length) telling(ctx, tellers, { warn });

  // Both are awaited by DSH: what was said in a turn is kept before it ends.
  ctx.on("agent/turn-stopping", async ({ agent }) => void (await line.drain(agent?.session.id)));
  ctx.on("session/flush", (session) => line.drain(session.id));
  ctx.on("session/disposed", ({ id }) => void own.forget(id));
}
