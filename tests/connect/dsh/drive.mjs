// Drives the DSH plugin as DSH does: its services and events; steps on standard input, what came of each on standard
// output. `node drive.mjs INDEX CONFIG DIRECTORY`.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

const [index, config, directory] = process.argv.slice(2);
const plugin = await import(pathToFileURL(index));

const warned = [];
let handlers, seen, disposers;

// On a busy machine everything takes longer; only a test of lateness itself keeps the plugin's own limits.
const patience = Number(process.env.PATIENCE);
const [timeout, later] = [AbortSignal.timeout, setTimeout];
AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds * patience);
globalThis.setTimeout = (work, milliseconds, ...rest) => later(work, milliseconds * patience, ...rest);

// Starts the plugin in a DSH that has every service.
function start(config) {
  handlers = {};
  disposers = [];
  seen = { tools: {}, sections: [], skills: [], routes: [] };
  const services = {
    tools: { register: (tool) => (seen.tools[tool.name] = tool) },
    systemPrompt: { section: (section) => seen.sections.push(section) },
    skills: { registerProvider: (make) => seen.skills.push(make()) },
    webServer: { register: (route) => seen.routes.push(route) },
    sessions: { flush: (session) => gate.then(() => emit("session/flush", session)) },
    sessionPersistence: store,
  };
  const ctx = {
    ...services,
    logger: { warn: (text) => warned.push(text) },
    on: (name, handler, { prepend } = {}) => (handlers[name] ??= [])[prepend ? "unshift" : "push"](handler),
    effect: (make) => disposers.push(make()),
    inject: (names, then) => names.every((name) => name in services) && then(ctx),
  };
  plugin.apply(ctx, config);
}

const sessions = {};
function session(id = "s1") {
  const header = { cwd: directory, createdAt: 1795998176000 };
  return (sessions[id] ??= { id, header, log: [], snapshotEvents: (first) => sessions[id].log.slice(first) });
}

// What DSH 0.2 has stored of a session; `lag` keeps its newest events back, `gate` all of them.
let lag = 0;
let gate = Promise.resolve(), open;
const store = {
  open: async (id) => ({
    header: { ...session(id).header, version: 4 },
    read: async (first) => ({ events: session(id).log.slice(first, session(id).log.length - lag) }),
    close: async () => {},
  }),
};

const agents = {};
const agent = (id = "s1") =>
  (agents[id] ??= {
    id: `agent of ${id}`,
    status: "running",
    options: { model: "deepseek-flash" },
    session: session(id),
    injected: [],
    inject: (message) => agents[id].injected.push(message),
  });

const signal = new AbortController().signal;
let calls = 0;
const emit = (name, ...args) => Promise.all((handlers[name] ?? []).map((handler) => handler(...args)));

// Each handler goes on with the next one, the last of them with what DSH does by itself.
function waterfall(name, args, last) {
  const [first, ...rest] = handlers[name] ?? [];
  const go = (handler, others) => (handler ? handler(...args, () => go(others[0], others.slice(1))) : last());
  return go(first, rest);
}

// What JSON cannot say, or cannot hold.
function odd() {
  const torn = { get: () => fail(), enumerable: true };
  const value = { nothing: undefined, big: 10n, call: function named() {}, sign: Symbol("s"), not: NaN };
  Object.defineProperty(value, "torn", torn);
  const more = { list: [undefined, Infinity], error: new TypeError("boom"), when: new Date(0), map: new Map() };
  return Object.assign(Object.defineProperty({ around: value }, "self", { enumerable: true, get: () => value }), more);
}

function fail() {
  throw new Error("torn");
}

const steps = {
  start,
  lag: (count) => void (lag = count),
  block: () => void (gate = new Promise((resolve) => (open = resolve))),
  unblock: () => open(),
  agent: (name, more = {}, id) => void emit(name, { agent: agent(id), ...more }),
  odd: async () => {
    const options = odd();
    agent().options = Object.assign(options, { options, private: "<private>secret</private>" });
    await emit("agent/error", { agent: agent(), turn: 1, step: 1, error: new TypeError("boom") });
    agent().options = {};
  },
  request: (failure) => {
    const payload = { agent: agent(), turn: 1, step: 2, provider: "p", failure, retryPolicy: undefined, signal };
    return waterfall("agent/request-error", [payload], async () => ({ kind: "retry" }));
  },
  executed: (more = {}) => {
    const execution = { callId: "c1", rootCallId: "c0", name: "bash", arguments: { command: "ls" }, signal, ...more };
    const owned = "agent" in more ? execution : { ...execution, agent: agent() };
    const result = { isError: false, content: [{ type: "text", text: "src" }] };
    return waterfall("tools/post-execute", [owned, result], async () => ({ kind: "accept" }));
  },
  stopping: async (turn) => {
    await emit("agent/turn-stopping", { agent: agent(), turn, signal });
    return agent().injected.map(({ content }) => content[0].text);
  },
  injected: () => agent().injected.map(({ source, content }) => ({ source, text: content[0].text })),
  rejected: () => {
    const payload = { agent: agent(), turn: 1, step: 1, signal };
    return waterfall("agent/pre-step", [payload], async () => ({ kind: "reject" }));
  },
  end: async () => {
    await Promise.all(disposers.filter((dispose) => typeof dispose === "function").map((dispose) => dispose()));
  },
  tool: async (name, args, id) => {
    const tool = seen.tools[name];
    const execution = { agent: { session: session(id) }, callId: `call ${(calls += 1)}`, signal };
    const value = await tool.execute(args, execution);
    return tool.output.render(args, value)[0].text;
  },
  event: async (type, data, id) => {
    const event = { type, seq: session(id).log.length, time: 1795998176000, data };
    session(id).log.push(event);
    await emit("session/event", session(id), event);
  },
  result: (name, text, id) =>
    emit("tools/result", { name, agent: { session: session(id) } }, { isError: false, content: [{ type: "text", text }] }),
  // What a step begins with, when these were asked; what is told becomes part of the session.
  step: async (number, asked, id) => {
    const person = { role: "user", source: { kind: "user" } };
    const messages = asked.map((text) => ({ ...person, content: [{ type: "text", text }] }));
    const payload = { agent: agent(id), turn: 1, step: number, signal };
    const decision = await waterfall("agent/pre-step", [payload], async () => ({ kind: "enter", messages }));
    const told = decision.messages.slice(messages.length);
    for (const message of told) await steps.event("user/message", message, id);
    return told.map(({ content }) => content[0].text);
  },
  settle: (id) => emit("agent/turn-stopping", { agent: { session: session(id) } }),
  flush: (id) => emit("session/flush", session(id)),
  dispose: (id) => emit("session/disposed", session(id)),
  later: (milliseconds) => {
    const now = Date.now;
    Date.now = () => now() + milliseconds;
  },
  write: (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  },
  skill: async (cwd) => seen.skills[0].get((await seen.skills[0].list({ cwd }))[0], { cwd }),
  route: async (method, host) => {
    let answer;
    const response = { writeHead: (status) => (answer = { status }), end: (body) => (answer.body = JSON.parse(body)) };
    await seen.routes[0].handler({ method, headers: { host } }, response);
    return answer;
  },
  registered: () => ({
    tools: Object.values(seen.tools).map(({ name, parameters }) => ({ name, parameters })),
    sections: seen.sections.map(({ text }) => text),
    skills: seen.skills.length,
    routes: seen.routes.map(({ path }) => path),
    events: Object.keys(handlers).sort(),
  }),
};

start(JSON.parse(config));
const came = [];
for (const [name, ...args] of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    came.push((await steps[name](...args)) ?? null);
  } catch (error) {
    came.push({ error: error.message });
  }
}
console.log(JSON.stringify({ came, warned }));
