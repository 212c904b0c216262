// The two tools with which the model uses all memory plugins. Whose workspace it is the session says, never the model.
import { output } from "./tools.js";

const text = (description) => ({ type: "string", description });
const closed = (required, properties) => ({ type: "object", additionalProperties: false, required, properties });

const MESSAGE = closed(["role", "content"], {
  role: { type: "string", enum: ["user", "assistant"] },
  content: text("What was said."),
});
const RESOURCE = closed(["kind", "path"], {
  kind: { type: "string", enum: ["workspace-file"] },
  path: text("Path in the workspace; the file itself is read by MemDock."),
  mediaType: text("As application/pdf."),
  name: text("How people call it."),
  role: { type: "string", enum: ["source", "attachment", "reference"] },
});

const TOOLS = [
  {
    name: "memory_retrieve",
    description: "Ask all installed memory plugins; what each of them knows comes back as it is.",
    parameters: closed(["query"], {
      query: text("What to look for."),
      limit: { type: "integer", description: "Most results of each plugin." },
    }),
    timeoutMs: 40_000, // 30 s for a plugin, as MemDock has it, and some more
  },
  {
    name: "memory_update",
    description: "Hand messages or files of the workspace to all installed memory plugins, which keep what they can.",
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        messages: { type: "array", description: "What is worth keeping.", items: MESSAGE },
        resources: { type: "array", description: "Files worth keeping.", items: RESOURCE },
      },
    },
    timeoutMs: 70_000, // and 60 s
  },
];

export function memoryTools(ctx, call, { warn }) {
  function definition({ name, description, parameters, timeoutMs }) {
    async function execute(args, { agent, callId, signal }) {
      if (!agent) throw new Error(`${name} needs the session of an agent.`);
      const { id, header } = agent.session;
      const body = { session: { id, cwd: header.cwd }, callId, arguments: args ?? {} };
      try {
        return (await call("POST", `/agent-loop/tools/${name}`, body, { timeoutMs, signal })).output;
      } catch (error) {
        throw error.told ? new Error(error.told, { cause: error }) : error;
      }
    }
    return { name, description, parameters, output, execute, timeoutMs };
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
