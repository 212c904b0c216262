// The skill memory-recall, with the project of the session that loads it.
import { readFileSync } from "node:fs";
import { resolve } from "./project.js";

const RANK = 250; // DSH's rank of runtime skills: behind a project's own, before a person's

function shipped() {
  const text = readFileSync(new URL("./SKILL.md", import.meta.url), "utf8");
  const [, head, content] = text.match(/^---\n(.*?)\n---\n+(.*)$/s);
  return { content, description: head.match(/^description: (.*)$/m)[1] };
}

export function skill(ctx, { request, name }) {
  const { content, description } = shipped();
  const candidate = {
    name: "memory-recall",
    description,
    invocation: { modelInvocable: true, userInvocable: true },
    provider: name,
    source: "runtime",
    rank: RANK,
    locator: name,
  };

  async function get({ rank: _rank, locator: _locator, ...summary }, { cwd }) {
    const project = await resolve(request, cwd).catch(() => undefined);
    const place = project ? `\nThis session's project is \`${project}\`, its directory \`${cwd}\`.\n` : "";
    return { ...summary, content: content + place };
  }

  ctx.inject(["skills"], (scope) => {
    scope.skills.registerProvider(() => ({ name, list: async () => [candidate], get }));
  });
}
