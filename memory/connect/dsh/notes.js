// What a session leaves behind without being asked: the person's prompts, and key learnings in what tools answered.
import { shortened } from "./engram.js";
import { textOf } from "./messages.js";
import { NAMES } from "./tools.js";
import { LONGEST_PROMPT } from "./toolset.js";

const [SHORTEST_PROMPT, SHORTEST_RESULT, LONGEST_RESULT] = [10, 50, 20_000];
// The headings by which Engram's server finds learnings; anything else would be sent for nothing.
const LEARNINGS = /^#{2,3}\s+(?:aprendizajes(?:\s+clave)?|(?:key\s+)?learnings?):?\s*$/im;

export function prompts(ctx, { request, own, line }) {
  ctx.on("session/event", (session, { type, data }) => {
    if (type !== "user/message" || data?.source?.kind !== "user") return;
    if (session.header.origin === "subagent") return; // another agent asked
    const text = textOf(data.content);
    if (text.length <= SHORTEST_PROMPT) return;
    void line.add(session.id, "a prompt is not kept", async () => {
      const body = { ...(await own.identity(session)), content: shortened(text, LONGEST_PROMPT) };
      await request("POST", "/prompts", { body });
    });
  });
}

export function learnings(ctx, { request, own, line }) {
  ctx.on("tools/result", ({ agent, name: source = "" }, result) => {
    if (!agent || NAMES.has(source) || result?.isError === true) return;
    const text = typeof result === "string" ? result : textOf(result?.content);
    if (text.length <= SHORTEST_RESULT || !LEARNINGS.test(text)) return;
    void line.add(agent.session.id, "learnings are not kept", async () => {
      const body = { ...(await own.identity(agent.session)), content: shortened(text, LONGEST_RESULT), source };
      await request("POST", "/observations/passive", { body });
    });
  });
}
