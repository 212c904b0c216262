// MemDock for DeepSeek Harness 0.1 and 0.2. Plain modules, no build, and nothing imported from DSH, whose packages
// cannot be resolved from a linked plugin.
import { capture } from "./capture.js";
import { recall } from "./recall.js";
import { connect, deep } from "./server.js";

export const name = "memdock";
export const inject = [];

export function apply(ctx, config = {}) {
  const off = process.env.MEMDOCK_DISABLE;
  if ((off && off !== "0") || process.env.MEMSEARCH_DSH_SUMMARIZE === "1") return;
  const call = connect({ url: config.url });
  const warn = (what, error) =>
    ctx.logger?.warn?.(`[memdock] ${what}: ${error?.cause?.code ?? error?.message ?? error}`);
  if (config.capture !== false) capture(ctx, call, { deep, warn });
  if (config.recall !== false) recall(ctx, call, { name, warn });
}
