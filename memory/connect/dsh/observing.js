// What can be seen of an agent's loop, as JSON: what is no JSON becomes text, and nothing here ever throws.
import { redact } from "./server.js";

const [LONGEST, DEEPEST] = [100_000, 40];
const HALF = LONGEST / 2;

// In this order: a clipped text may have lost the tag by which a private block is known.
function tidy(text) {
  const open = redact(text);
  return open.length > LONGEST ? `${open.slice(0, HALF)}\n…\n${open.slice(-HALF)}`.toWellFormed() : open;
}

function said(value) {
  try {
    return typeof value === "function" ? `[function ${value.name}]` : tidy(String(value));
  } catch {
    return "[unreadable]";
  }
}

export function plain(value, around = []) {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return tidy(value);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object") return said(value);
  if (around.length === DEEPEST || around.includes(value)) return "…";
  try {
    return parts(value, [...around, value]);
  } catch {
    return said(value);
  }
}

function parts(value, around) {
  if (Array.isArray(value)) return value.map((one) => plain(one ?? null, around));
  if (value instanceof Error) {
    const { name, message, stack } = value;
    return plain({ name, message, stack }, around);
  }
  if (typeof value.toJSON === "function") return plain(value.toJSON(), around);
  const told = Object.keys(value).map((key) => [tidy(key), field(value, key, around)]);
  return Object.fromEntries(told.filter(([, one]) => one !== undefined));
}

function field(value, key, around) {
  try {
    return value[key] === undefined ? undefined : plain(value[key], around);
  } catch {
    return "[unreadable]";
  }
}

export const headerOf = (session, header = session.header) => plain({ id: session.id, ...header });

export const agentOf = ({ id, status, options = {} }) => plain({ id, status, options });

// What every moment shows, and what is particular to one.
export const seen = (agent, extra) => ({
  agent: agentOf(agent),
  session: { header: headerOf(agent.session) },
  ...plain(extra),
});

export const executionOf = ({ callId, rootCallId, name, arguments: given, parent }) => ({
  callId,
  rootCallId,
  name,
  arguments: given,
  nested: parent !== undefined,
});
