// Which project a directory belongs to: the server's word, and never a guess.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const SOURCES = new Set(["config", "git_remote", "git_root", "git_child", "dir_basename", "process_override"]);
const ADVICE =
  'Ask which project this work belongs to, or have `.engram/config.json` with {"project_name": "NAME"} put into the ' +
  "directory; do not guess.";

export class Unresolved extends Error {
  constructor(why, available = []) {
    const named = available.length ? ` Candidates: ${available.join(", ")}.` : "";
    super(`The project of this session's directory is not known: ${why}.${named} ${ADVICE}`);
  }
}

const isName = (name) => typeof name === "string" && /^[^/\\\p{Cc}]+$/u.test(name.trim()) && name !== "unknown";

// What a server without this route leaves to its clients: the directory's own word, or that of one around it.
function configured(cwd) {
  for (let place = cwd; ; place = dirname(place)) {
    try {
      const { project_name: name } = JSON.parse(readFileSync(join(place, ".engram", "config.json"), "utf8"));
      return isName(name) ? name.trim() : "";
    } catch (error) {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") return "";
    }
    if (dirname(place) === place) return "";
  }
}

export async function resolve(request, cwd) {
  if (!cwd) throw new Unresolved("it has none");
  let found;
  try {
    found = await request("GET", "/project/current", { query: { cwd } });
  } catch (error) {
    const name = error.status === 404 ? configured(cwd) : "";
    if (name) return name;
    throw error;
  }
  const hint = typeof found?.error_hint === "string" ? found.error_hint.trim() : "";
  if (hint) throw new Unresolved(hint, found.available_projects ?? []);
  if (!SOURCES.has(found?.project_source) || !isName(found.project)) throw new Unresolved("the server names none");
  return found.project;
}
