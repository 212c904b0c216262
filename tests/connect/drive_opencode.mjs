// Drives the OpenCode plugin as OpenCode does: steps on standard input, what each left behind on standard output.
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const [plugin, directory] = process.argv.slice(2);
const { MemDock } = await import(pathToFileURL(plugin));

const stored = {};
const client = { session: { messages: async ({ path }) => ({ data: stored[path.id] ?? [] }) } };
const hooks = await MemDock({ client, directory, worktree: "/" });
await MemDock({ client, directory, worktree: "/" }); // OpenCode may call it twice

const seen = [Object.keys(hooks)];
for (const [name, input, output] of JSON.parse(readFileSync(0, "utf8"))) {
  if (name === "stored") Object.assign(stored, input);
  else await hooks[name]?.(input, output);
  seen.push(output ?? null);
}
console.log(JSON.stringify(seen));
