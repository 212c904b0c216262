// Engram's wire, which MemDock speaks: nothing that could be saved twice is sent twice.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { base as memdock, dataDir, deep, redact, token } from "./server.js";

const [REQUEST_MS, HEALTH_MS, ATTEMPTS, WAIT_MS, BUSY] = [3000, 500, 3, 250, 503]; // as dsh-gentle-engram

export class Refused extends Error {
  constructor(status, body) {
    super(typeof body?.error === "string" ? body.error : `Engram request failed with HTTP ${status}`);
    this.status = status;
    this.code = body?.code;
  }
}

export class TimedOut extends Error {
  constructor(method, path, milliseconds) {
    const late = `${method} ${path} had no answer within ${milliseconds / 1000} s`;
    super(method === "GET" ? `${late}.` : `${late}; it may have been applied. Look before you try again.`);
  }
}

// What a person marked as private stays here, and what the server cannot store is replaced.
const clean = (text) => redact(text).replaceAll("\0", "\ufffd").toWellFormed();

export const shortened = (text, limit) => redact(text).slice(0, limit);

function encoded(query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `?${new URLSearchParams(given.map(([key, value]) => [key, clean(String(value))]))}` : "";
}

// A server that was chosen is taken as it is; one that merely holds the port has to be this person's own.
function address(url) {
  const { ENGRAM_URL, ENGRAM_PORT, MEMDOCK_URL } = process.env;
  const ours = memdock({ url });
  if (ENGRAM_URL) return { base: ENGRAM_URL.replace(/\/+$/, ""), isChosen: true, ours };
  if (url || MEMDOCK_URL) return { base: ours, isChosen: true, ours };
  const base = ENGRAM_PORT ? `http://127.0.0.1:${ENGRAM_PORT}` : ours;
  return { base, isChosen: false, ours: base };
}

function bearer(base, ours) {
  const text = process.env.ENGRAM_HTTP_TOKEN || (base === ours ? token() : "");
  return text ? { authorization: `Bearer ${text}` } : {};
}

async function check(base) {
  const own = readFileSync(join(dataDir(), "instance_id"), "utf8").trim();
  const answer = await fetch(`${base}/health`, { redirect: "error", signal: AbortSignal.timeout(HEALTH_MS) });
  const { instance_id: told } = await answer.json();
  if (!/^[a-f0-9]{32}$/.test(own) || told !== own) throw new Error("another server answers there");
}

async function read(answer) {
  if (answer.status === 204) return null;
  if (answer.ok) return answer.json().catch(unreadable);
  throw new Refused(answer.status, await answer.json().catch(() => null));
}

function unreadable(error) {
  throw error instanceof SyntaxError ? new Error("The memory's answer is not JSON.", { cause: error }) : error;
}

function isPassing(error) {
  return error instanceof Refused ? error.status === BUSY : error instanceof TypeError;
}

export function engram({ url, requestTimeoutMs = REQUEST_MS } = {}) {
  const { base, isChosen, ours } = address(url);
  let isKnown = isChosen;

  async function identify() {
    if (isKnown) return;
    try {
      await check(base);
    } catch (error) {
      const why = error.cause?.code ?? error.code ?? error.message;
      throw new Error(`This machine's MemDock is not at ${base} (${why}). Start \`memdock up\`, or set MEMDOCK_URL.`);
    }
    isKnown = true;
  }

  async function once(method, path, { query = {}, body, signal }) {
    const limit = AbortSignal.timeout(requestTimeoutMs);
    try {
      const answer = await fetch(base + path + encoded(query), {
        method,
        headers: { ...(body && { "content-type": "application/json" }), ...bearer(base, ours) },
        body: body && JSON.stringify(deep(body, clean)),
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      return await read(answer);
    } catch (error) {
      if (error instanceof Refused || !limit.aborted || signal?.aborted) throw error;
      throw new TimedOut(method, path, requestTimeoutMs);
    }
  }

  // Sends a request and returns the JSON of its answer. Only what changes nothing the second time is tried again.
  return async function request(method, path, options = {}) {
    await identify();
    const attempts = method === "GET" || path === "/sessions" ? ATTEMPTS : 1;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(method, path, options);
      } catch (error) {
        if (options.signal?.aborted || !isPassing(error)) throw error;
        if (attempt === attempts) throw unreachable(error);
      }
      await sleep(WAIT_MS * 2 ** (attempt - 1));
    }
  };

  function unreachable(error) {
    const code = error.cause?.code;
    return code ? new Error(`The memory at ${base} cannot be reached (${code}).`, { cause: error }) : error;
  }
}
