// MemDock for OpenCode: captures turns, and tells the model what earlier sessions found out. https://opencode.ai
// One plain module that imports nothing but Node's own. Whatever goes wrong here, the person's turn goes on.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const [RECALL_MS, CALL_MS, DISPOSE_MS] = [1200, 5000, 2000];
const [SHORTEST, LONGEST_QUERY, LONGEST_TEXT, MOST_MESSAGES, MOST_TOLD] = [10, 2000, 9000, 200, 50];

// OpenCode may call the plugin twice in one process: what is known of sessions is kept here.
const sessions = new Map(); // id → { parent, since, tail }
const told = new Map(); // message id → promise of the text that goes with it

const stateOf = (id) => sessions.get(id) ?? sessions.set(id, { tail: Promise.resolve() }).get(id);

// Blocks in blocks are one; a block without an end reaches to the end of the text.
function redact(text) {
  if (!/<\/?private\b/i.test(text)) return text;
  const kept = [];
  let depth = 0, start = 0;
  for (const tag of text.matchAll(/<(\/?)private\b[^<>]*>?/gi)) {
    const isOpening = !tag[1];
    if (isOpening && depth === 0) kept.push(text.slice(start, tag.index), "[REDACTED]");
    if (!isOpening && depth === 0) continue;
    depth += isOpening ? 1 : -1;
    start = tag.index + tag[0].length;
  }
  return depth ? kept.join("") : kept.join("") + text.slice(start);
}

function deep(value, change) {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => deep(one, change));
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [change(key), deep(one, change)]));
}

function token() {
  if (process.env.MEMDOCK_TOKEN) return process.env.MEMDOCK_TOKEN;
  try {
    return readFileSync(join(process.env.MEMDOCK_DATA_DIR || join(homedir(), ".memdock"), "hook-token"), "utf8").trim();
  } catch {
    return "";
  }
}

async function call(method, path, body, timeoutMs) {
  const base = process.env.MEMDOCK_URL || `http://127.0.0.1:${process.env.MEMDOCK_PORT || "7437"}`;
  const answer = await fetch(`${base.replace(/\/+$/, "")}/api/v1${path}`, {
    method,
    headers: { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${token()}` },
    body: body === undefined ? undefined : JSON.stringify(deep(body, redact)),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}

const textOf = (parts) =>
  (Array.isArray(parts) ? parts : [])
    .filter((part) => part?.type === "text" && part.synthetic !== true && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n")
    .trim();

async function recalled(session, cwd, said) {
  const query = said.replace(/^"([^"]*)"$/, "$1"); // `opencode run "two words"` keeps the quotes, and they mean a phrase
  if (query.length < SHORTEST || query.startsWith("/")) return "";
  const body = { session, cwd, query: redact(query).slice(0, LONGEST_QUERY) };
  return (await call("POST", "/recall", body, CALL_MS)).text.trim();
}

async function messages(session) {
  return (await call("GET", `/agent-inbox?session=${encodeURIComponent(session)}`, undefined, CALL_MS)).items;
}

const settled = (result, otherwise) => (result.status === "fulfilled" ? result.value : otherwise);

async function tell(session, cwd, query) {
  const [memory, inbox] = await Promise.allSettled([recalled(session, cwd, query), messages(session)]);
  const waiting = settled(inbox, []);
  const parts = [settled(memory, ""), ...waiting.map(({ id, text }) => `[memdock message ${id}] ${text}`)];
  const text = parts.filter(Boolean).join("\n\n").slice(0, LONGEST_TEXT);
  return text && { text: `<memdock-context>\n${text}\n</memdock-context>`, waiting };
}

// A message counts as read once it is in what the model gets, not before.
function acknowledge(found) {
  for (const { id } of found.waiting.splice(0)) call("POST", `/agent-inbox/${id}/ack`, {}, CALL_MS).catch(() => {});
}

const limited = (promise, ms) => {
  let timer;
  const limit = new Promise((resolve) => (timer = setTimeout(resolve, ms, "")));
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
};

function database() {
  const path = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "opencode", "opencode.db");
  return existsSync(path) ? path : undefined;
}

// Everything from the first message that MemDock may lack; the last turn always goes along, and again is harmless.
async function push(client, session, cwd, final) {
  const state = stateOf(session);
  const answer = await client.session.messages({ path: { id: session } });
  const all = (answer?.data ?? answer ?? []).filter((message) => message?.info?.id);
  const known = all.findIndex((message) => message.info.id === state.since);
  const events = all.slice(Math.max(known, all.length - MOST_MESSAGES, 0));
  if (!events.length && !final) return;
  const facts = { id: session, cwd, parent_session: state.parent, origin: state.parent ? "subagent" : undefined };
  const body = { platform: "opencode", session: facts, final, transcript: database(), events };
  await call("POST", "/events", body, CALL_MS);
  state.since = all.findLast((message) => message.info.role === "user")?.info.id ?? state.since;
}

export const MemDock = async ({ client, directory, worktree }) => {
  const off = process.env.MEMDOCK_DISABLE;
  if ((off && off !== "0") || process.env.MEMSEARCH_DISABLE === "1" || process.env.MEMSEARCH_NO_WATCH === "1") return {};
  const cwd = worktree && worktree !== "/" ? worktree : directory;

  // One push after the other; what fails now goes with the next one.
  function pushed(session, final = false) {
    const state = stateOf(session);
    state.tail = state.tail.then(() => push(client, session, cwd, final)).catch(() => {});
    return state.tail;
  }

  return {
    // Asked here, and waited for where it is told: OpenCode has much to do in between.
    "chat.message": async (input, output) => {
      try {
        const id = output?.message?.id ?? input?.messageID;
        if (!id || stateOf(input.sessionID).parent) return;
        if (told.size >= MOST_TOLD) told.delete(told.keys().next().value);
        told.set(id, tell(input.sessionID, cwd, textOf(output.parts)).catch(() => ""));
      } catch {
        // the turn goes on without memory
      }
    },

    // The list is made anew for each call of the model, so what is added here is told and not stored.
    "experimental.chat.messages.transform": async (_input, output) => {
      try {
        const message = output.messages.findLast(({ info }) => info.role === "user" && told.has(info.id));
        const found = message && (await limited(told.get(message.info.id), RECALL_MS));
        if (!found) return;
        const { id, sessionID } = message.info;
        const { text } = found;
        message.parts.push({ id: `prt_memdock_${id}`, sessionID, messageID: id, type: "text", text, synthetic: true });
        acknowledge(found);
      } catch {
        // the turn goes on without memory
      }
    },

    event: async ({ event }) => {
      try {
        const { type, properties = {} } = event;
        const session = properties.sessionID ?? properties.info?.sessionID ?? properties.info?.id;
        if (type === "session.created") stateOf(session).parent = properties.info?.parentID;
        const isIdle = type === "session.idle" || (type === "session.status" && properties.status?.type === "idle");
        if (isIdle || type === "session.compacted") await pushed(session);
        if (type === "session.deleted") await pushed(session, true).finally(() => sessions.delete(session));
      } catch {
        // the next event brings what is missing
      }
    },

    dispose: async () => {
      await limited(Promise.allSettled([...sessions.values()].map((state) => state.tail)), DISPOSE_MS);
    },
  };
};
