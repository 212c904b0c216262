// Registers the tools in DSH. Plain JSON Schema and texts: what both generations take.
import { TOOLS } from "./toolset.js";

const TOOL_MS = 20_000;

// The answer is told as it came: a text verbatim, nothing as "(empty)", everything else as JSON.
export const output = { schema: { type: "string" }, render: (_args, value) => [{ type: "text", text: value }] };

function told(value) {
  if (value === null || value === undefined) return "(empty)";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function schema(parameters) {
  const properties = Object.entries(parameters).map(([name, { isNeeded, ...property }]) => [name, property]);
  const required = Object.keys(parameters).filter((name) => parameters[name].isNeeded);
  return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
}

// What a tool may use, for the session that called it.
function hands({ request, own, line, session, signal }) {
  return {
    directory: session.header.cwd,
    get: (path, query) => request("GET", path, { query, signal }),
    send: (method, path, options) => request(method, path, { ...options, signal }),
    identity: () => own.identity(session),
    project: () => own.project(session),
    end: async (summary) => {
      await line.drain(session.id); // what is on its way belongs to the session that ends
      return own.end(session, summary, signal);
    },
  };
}

export function tools(ctx, { request, own, line, warn }) {
  function definition({ name, description, parameters, run }) {
    async function execute(args, { agent, signal }) {
      if (!agent) throw new Error("A memory tool needs a session.");
      return told(await run(args ?? {}, hands({ request, own, line, session: agent.session, signal })));
    }
    return { name, description, parameters: schema(parameters), output, execute, timeoutMs: TOOL_MS };
  }

  ctx.inject(["tools"], (scope) => {
    for (const tool of TOOLS) {
      try {
        scope.tools.register(definition(tool));
      } catch (error) {
        warn(`${tool.name} is left to another plugin`, error); // DSH would not start if this came through
      }
    }
  });
}

export const NAMES = new Set(TOOLS.map(({ name }) => name));
