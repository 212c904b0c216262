// Speaks to MemDock: bounded, and without what a person marked as private.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

// Blocks in blocks are one; a block without an end reaches to the end of the text.
export function redact(text) {
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

export function deep(value, change) {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => deep(one, change));
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [change(key), deep(one, change)]));
}

export function dataDir() {
  return process.env.MEMDOCK_DATA_DIR || join(homedir(), ".memdock");
}

export function token() {
  if (process.env.MEMDOCK_TOKEN) return process.env.MEMDOCK_TOKEN;
  try {
    return readFileSync(join(dataDir(), "hook-token"), "utf8").trim();
  } catch {
    return "";
  }
}

export function base({ url }) {
  const port = process.env.MEMDOCK_PORT || "7437";
  return (url || process.env.MEMDOCK_URL || `http://127.0.0.1:${port}`).replace(/\/+$/, "");
}

// `told` is MemDock's own sentence, where it has one.
async function refusal(answer, line) {
  const body = await answer.json().catch(() => undefined);
  const error = new Error(`HTTP ${answer.status} for ${line}`);
  return Object.assign(error, { status: answer.status, told: body?.error?.message });
}

export function connect({ url }) {
  const api = `${base({ url })}/api/v1`;

  return async function call(method, path, body, { timeoutMs, signal } = {}) {
    const limit = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(api + path, {
      method,
      headers: { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${token()}` },
      body: body === undefined ? undefined : JSON.stringify(deep(body, redact)),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    if (!answer.ok) throw await refusal(answer, `${method} ${path}`);
    return answer.json();
  };
}
