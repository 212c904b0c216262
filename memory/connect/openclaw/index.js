// MemDock for OpenClaw. Plain modules, no build. Registering is synchronous, and no hook ever throws.
import { homedir } from "node:os";
import { join } from "node:path";

import { connect } from "./server.js";

const [RECALL_MS, PUSH_MS] = [1200, 5000];
const [SHORTEST, LONGEST_QUERY] = [10, 2000];

// What channels and other plugins put before the person's words is of no use as a question.
const LEADING = /^\s*(?:[^\n]{1,80} \(untrusted metadata\):\s*```(?:json)?\n[^]*?\n```[ \t]*(?:\n|$)|System: \[[^\]\n]*\][^\n]*(?:\n|$)|\[(?:message_id:|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )[^\]\n]*\][ \t]*\n?)/;

function spoken(text) {
  let left = text;
  for (let block = LEADING.exec(left); block; block = LEADING.exec(left)) left = left.slice(block[0].length);
  return left.trim();
}

const isAsked = (message) => message?.role === "user";

export default {
  id: "memdock",
  name: "MemDock",
  register(api) {
    const off = process.env.MEMDOCK_DISABLE;
    if ((off && off !== "0") || process.env.MEMSEARCH_DISABLE === "1" || process.env.MEMSEARCH_NO_WATCH === "1") return;
    const config = api.pluginConfig ?? {};
    const call = connect({ url: config.url });
    const warn = (what, error) =>
      api.logger?.warn?.(`[memdock] ${what}: ${error?.cause?.code ?? error?.message ?? error}`);

    const idOf = (event, ctx) => ctx?.sessionId ?? event?.sessionId ?? ctx?.sessionKey;
    const cwdOf = (ctx) => ctx?.workspaceDir ?? join(homedir(), ".openclaw", "workspace");
    const pathOf = (ctx) => {
      const state = process.env.OPENCLAW_STATE_DIR || join(homedir(), ".openclaw");
      return ctx?.agentId && ctx.sessionId
        ? join(state, "agents", ctx.agentId, "sessions", `${ctx.sessionId}.jsonl`)
        : undefined;
    };

    async function deliver(event, ctx, events, final = false) {
      const id = idOf(event, ctx);
      if (!id) return;
      const session = { id, cwd: cwdOf(ctx) };
      const body = { platform: "openclaw", session, final, transcript: pathOf(ctx), events };
      try {
        await call("POST", "/events", body, { timeoutMs: PUSH_MS });
      } catch (error) {
        warn("a turn is not captured", error);
      }
    }

    // The messages are the whole history: the last turn goes from the last words of the person on.
    function turn(event, ctx) {
      const messages = Array.isArray(event?.messages) ? event.messages : [];
      const from = messages.findLastIndex(isAsked);
      const { success, durationMs, error } = event;
      const runId = event.runId ?? ctx?.runId;
      return from < 0 ? [] : [{ type: "agent_end", runId, success, error, durationMs, messages: messages.slice(from) }];
    }

    async function quietly(promise) {
      try {
        return await promise;
      } catch (error) {
        warn("the turn goes on without memory", error);
        return "";
      }
    }

    async function told(session, cwd, query) {
      if (query.length < SHORTEST || query.startsWith("/")) return "";
      const body = { session, cwd, query: query.slice(0, LONGEST_QUERY) };
      return (await call("POST", "/recall", body, { timeoutMs: RECALL_MS })).text.trim();
    }

    async function messages(session) {
      const path = `/agent-inbox?session=${encodeURIComponent(session)}`;
      return (await call("GET", path, undefined, { timeoutMs: RECALL_MS })).items;
    }

    // A message counts as read once it is handed over with the prompt, not before.
    function acknowledge(waiting) {
      for (const { id } of waiting)
        call("POST", `/agent-inbox/${id}/ack`, {}, { timeoutMs: PUSH_MS }).catch((error) => warn("it comes again", error));
    }

    if (config.capture !== false) {
      api.on("agent_end", async (event, ctx) => {
        const events = turn(event, ctx);
        if (events.length) await deliver(event, ctx, events);
      });
      api.on("session_end", (event, ctx) => deliver(event, ctx, [], true));
    }
    if (config.recall !== false) {
      api.on(
        "before_prompt_build",
        async (event, ctx) => {
          const id = idOf(event, ctx);
          if (!id || typeof event?.prompt !== "string") return {};
          const query = spoken(event.prompt);
          const [memory, inbox] = await Promise.all([quietly(told(id, cwdOf(ctx), query)), quietly(messages(id))]);
          const waiting = inbox || [];
          const parts = [memory, ...waiting.map((message) => `[memdock message ${message.id}] ${message.text}`)];
          const text = parts.filter(Boolean).join("\n\n");
          acknowledge(waiting);
          return text ? { appendContext: `<memdock-context>\n${text}\n</memdock-context>` } : {};
        },
        { timeoutMs: 2 * RECALL_MS },
      );
    }
  },
};
