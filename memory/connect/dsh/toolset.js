// The 21 tools, with the names, parameters and requests of dsh-gentle-engram, so that prompts written for it go on.
// A model names no session and mostly no project: both are the plugin's.
import { isAbsolute } from "node:path";
import { shortened } from "./engram.js";

export const LONGEST_PROMPT = 2000;

const text = (description) => ({ type: "string", description });
const number = (description) => ({ type: "number", description });
const flag = (description) => ({ type: "boolean", description });
const needed = (schema) => ({ ...schema, isNeeded: true });

const TYPE = text("Kind: bugfix, decision, architecture, discovery, pattern, config, preference, …");
const SCOPE = text("project (usual), personal or global.");
const TOPIC = text("Stable key of a subject: a later save with the same key revises this memory.");
const ALL = flag("In all projects, not only in this one.");
const ID = needed(number("Id of the memory."));
const RELATION = needed(text("related, compatible, scoped, conflicts_with, supersedes or not_conflict."));

// Where a request reads: in all projects when that is asked for, else in the session's.
async function place({ all_projects }, { project }) {
  return all_projects === true ? { all_projects } : { all_projects, project: await project() };
}

const observation = (id) => `/observations/${encodeURIComponent(id)}`;

async function review({ action, observation_id, limit, all_projects }, use) {
  if (action === "list") return use.get("/review", { limit, ...(await place({ all_projects }, use)) });
  if (action !== "mark_reviewed") throw new Error("action is list or mark_reviewed.");
  const query = { project: await use.project() };
  return use.send("POST", "/review/mark_reviewed", { query, body: { observation_id } });
}

function currentProject({ cwd }, use) {
  if (cwd !== undefined && !isAbsolute(cwd)) throw new Error("cwd is an absolute directory.");
  return use.get("/project/current", { cwd: cwd ?? use.directory });
}

export const TOOLS = [
  {
    name: "mem_save",
    description:
      "Save a durable memory. Do so unasked after a fix, a decision, a discovery, a change of configuration, a new " +
      "pattern, or a preference that you learned. content: **What**, **Why**, **Where**, **Learned**.",
    parameters: {
      title: needed(text("Short and searchable: verb and object.")),
      content: needed(text("The memory itself.")),
      type: TYPE,
      scope: SCOPE,
      topic_key: TOPIC,
    },
    run: async ({ title, content, type = "manual", scope = "project", topic_key }, use) => {
      const body = { ...(await use.identity()), title, content, type, scope, topic_key };
      return use.send("POST", "/observations", { body });
    },
  },
  {
    name: "mem_search",
    description:
      "Search what was saved in earlier sessions of this project. Found nothing? Try once more with match_mode any " +
      "and all_projects true before you say that there is no memory.",
    parameters: {
      query: needed(text("Words to look for.")),
      type: TYPE,
      scope: SCOPE,
      limit: number("Most results."),
      match_mode: text("all (usual): every word; any: one is enough."),
      all_projects: ALL,
    },
    run: async ({ query: q, type, scope, limit, match_mode, all_projects }, use) =>
      use.get("/search", { q, type, scope, limit, match_mode, ...(await place({ all_projects }, use)) }),
  },
  {
    name: "mem_context",
    description: "Read recent memories of this project: when earlier work matters, and after a compaction.",
    parameters: { scope: SCOPE },
    run: async ({ scope }, use) => use.get("/context", { project: await use.project(), scope }),
  },
  {
    name: "mem_stats",
    description: "Count what is remembered.",
    parameters: { all_projects: ALL },
    run: async ({ all_projects }, use) =>
      use.get("/stats", all_projects === true ? { all_projects } : { project: await use.project() }),
  },
  {
    name: "mem_timeline",
    description: "Read what was saved before and after a memory in its session.",
    parameters: {
      observation_id: needed(number("Id of the memory.")),
      before: number("Memories before it (5)."),
      after: number("Memories after it (5)."),
    },
    run: async ({ observation_id, before, after }, use) =>
      use.get("/timeline", { observation_id, before, after, project: await use.project() }),
  },
  {
    name: "mem_session_summary",
    description:
      "Save a summary before the work ends: Goal, Instructions, Discoveries, Accomplished, Next Steps, Relevant Files.",
    parameters: { content: needed(text("The whole summary.")) },
    run: async ({ content }, use) => {
      const about = { type: "session_summary", title: "Session summary", content, scope: "project" };
      return use.send("POST", "/observations", { body: { ...(await use.identity()), ...about } });
    },
  },
  {
    name: "mem_session_start",
    description: "Make sure that this session is known to the memory, and tell how. It takes no id.",
    parameters: {},
    run: async (_args, use) => ({ ...(await use.identity()), directory: use.directory, registered: true }),
  },
  {
    name: "mem_session_end",
    description:
      "End this session's record, only when the person says that the work is over. A later save starts a new one.",
    parameters: { summary: text("What was done.") },
    run: ({ summary = "" }, use) => use.end(summary),
  },
  {
    name: "mem_get_observation",
    description: "Read one memory in full.",
    parameters: { id: ID },
    run: ({ id }, use) => use.get(observation(id)),
  },
  {
    name: "mem_suggest_topic_key",
    description: "Suggest the topic_key of a memory, from its title or content.",
    parameters: { title: text("Its title."), type: TYPE, content: text("Its content.") },
    run: ({ title, type, content }, use) =>
      use.send("POST", "/topic-keys/suggest", { body: { title, type, content } }),
  },
  {
    name: "mem_capture_passive",
    description: "Save each item of a `## Key Learnings` section in a text as a memory of its own.",
    parameters: { content: needed(text("A text with such a section.")), source: text("Where the text is from.") },
    run: async ({ content, source = "dsh-tool" }, use) =>
      use.send("POST", "/observations/passive", { body: { ...(await use.identity()), content, source } }),
  },
  {
    name: "mem_save_prompt",
    description: "Keep what the person asked.",
    parameters: { content: needed(text("The prompt.")) },
    run: async ({ content }, use) => {
      const body = { ...(await use.identity()), content: shortened(content, LONGEST_PROMPT) };
      return use.send("POST", "/prompts", { body });
    },
  },
  {
    name: "mem_update",
    description: "Correct a memory: only what is given changes.",
    parameters: {
      id: ID,
      title: text("New title."),
      content: text("New content."),
      type: TYPE,
      scope: SCOPE,
      topic_key: TOPIC,
    },
    run: ({ id, title, content, type, scope, topic_key }, use) =>
      use.send("PATCH", observation(id), { body: { title, content, type, scope, topic_key } }),
  },
  {
    name: "mem_delete",
    description: "Delete a memory; it can be restored unless hard_delete is true.",
    parameters: { id: ID, hard_delete: flag("For good.") },
    run: ({ id, hard_delete }, use) =>
      use.send("DELETE", observation(id), { query: { hard: hard_delete === true || undefined } }),
  },
  {
    name: "mem_current_project",
    description: "Tell which project a directory belongs to, and why.",
    parameters: { cwd: text("Absolute directory; usually this session's.") },
    run: currentProject,
  },
  {
    name: "mem_judge",
    description: "Give the verdict on a pair of memories that mem_save returned as a candidate.",
    parameters: {
      judgment_id: needed(text("judgment_id of the candidate.")),
      relation: RELATION,
      reason: text("Why."),
      evidence: text("What shows it."),
      confidence: number("From 0 to 1."),
    },
    run: ({ judgment_id, relation, reason, evidence, confidence }, use) =>
      use.send("POST", "/conflicts/judge", { body: { judgment_id, relation, reason, evidence, confidence } }),
  },
  {
    name: "mem_compare",
    description: "Record how two memories relate.",
    parameters: {
      memory_id_a: needed(number("Id of the first.")),
      memory_id_b: needed(number("Id of the second.")),
      relation: RELATION,
      confidence: needed(number("From 0 to 1.")),
      reasoning: needed(text("Why.")),
      model: text("Model that judged."),
    },
    run: ({ memory_id_a, memory_id_b, relation, confidence, reasoning, model }, use) => {
      const body = { memory_id_a, memory_id_b, relation, confidence, reasoning, model };
      return use.send("POST", "/conflicts/compare", { body });
    },
  },
  {
    name: "mem_doctor",
    description: "Examine the memory and say what is wrong with it.",
    parameters: { check: text("One check only.") },
    run: async ({ check }, use) => use.get("/doctor", { project: await use.project().catch(() => undefined), check }),
  },
  {
    name: "mem_review",
    description: "List memories that are due for another look, or mark one as looked at.",
    parameters: {
      action: needed(text("list or mark_reviewed.")),
      observation_id: number("The memory that was looked at."),
      limit: number("Most results."),
      all_projects: ALL,
    },
    run: review,
  },
  {
    name: "mem_pin",
    description: "Pin a memory: it comes first in the context.",
    parameters: { id: ID },
    run: ({ id }, use) => use.send("PUT", `${observation(id)}/pin`),
  },
  {
    name: "mem_unpin",
    description: "Take a pin away.",
    parameters: { id: ID },
    run: ({ id }, use) => use.send("DELETE", `${observation(id)}/pin`),
  },
];
