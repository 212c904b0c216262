// Drives the OpenClaw plugin as OpenClaw does: steps on standard input, what each answered on standard output.
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const { default: plugin } = await import(pathToFileURL(process.argv[2]));
const handlers = {};
const warned = [];
const api = { on: (name, handler) => (handlers[name] = handler), logger: { warn: (text) => warned.push(text) } };
if (plugin.register(api) instanceof Promise) throw new Error("registering is synchronous");

const seen = [Object.keys(handlers)];
for (const [name, event, ctx] of JSON.parse(readFileSync(0, "utf8"))) seen.push((await handlers[name]?.(event, ctx)) ?? null);
console.log(JSON.stringify({ seen, warned }));
