// Whose memories these are: each session's project, and the session that the server knows, made before its first write.
import { resolve } from "./project.js";

const [RETRY_MS, TRUSTED_MS] = [30_000, 60_000];
const ROTATING = new Set(["session_already_ended", "session_project_conflict"]);

export function sessions(request, { warn }) {
  const states = new Map(); // DSH's id of a session → state

  function of(session) {
    const fresh = { key: session.id, cwd: session.header.cwd ?? "", registeredAt: 0 };
    return states.get(session.id) ?? states.set(session.id, fresh).get(session.id);
  }

  // A project that is known stays; a failure is asked again after a while, as a person may have put it right.
  async function project(state) {
    if (state.project) return state.project;
    if (state.failure && Date.now() - state.failedAt < RETRY_MS) throw state.failure;
    state.resolving ??= resolve(request, state.cwd)
      .then((name) => (state.project = name))
      .catch((error) => {
        Object.assign(state, { failure: error, failedAt: Date.now() });
        throw error;
      })
      .finally(() => (state.resolving = undefined));
    return state.resolving;
  }

  const path = (state) => `/sessions/${encodeURIComponent(state.key)}`;

  async function row(state, signal) {
    try {
      return await request("GET", path(state), { signal });
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }

  function rotate(state) {
    warn(`session ${state.key} is over or another project's`, "a new one goes on");
    Object.assign(state, { key: crypto.randomUUID(), registeredAt: 0 });
  }

  async function announce(state) {
    if ((await row(state))?.ended_at) rotate(state);
    const about = { project: state.project, directory: state.cwd, ownership_mode: "project_owned" };
    const post = () => request("POST", "/sessions", { body: { id: state.key, ...about } });
    try {
      await post();
    } catch (error) {
      if (!ROTATING.has(error.code)) throw error;
      rotate(state);
      await post();
    }
    state.registeredAt = Date.now();
  }

  async function register(state) {
    if (state.registeredAt && Date.now() - state.registeredAt < TRUSTED_MS) return;
    state.registering ??= announce(state).finally(() => (state.registering = undefined));
    try {
      await state.registering;
    } catch (error) {
      if (!state.registeredAt) throw error; // a session that was there once is left to the write itself
      warn("the session was not confirmed again", error);
    }
  }

  // What a write of this session carries, once the server knows the session.
  async function identity(session) {
    const state = of(session);
    const name = await project(state);
    await register(state);
    return { session_id: state.key, project: name };
  }

  // Ends the session once: a second end would take away the first one's summary. One that never wrote stays unknown.
  async function end(session, summary, signal) {
    const state = of(session);
    const found = await row(state, signal);
    if (found && !found.ended_at) {
      const reply = await request("POST", `${path(state)}/end`, { body: { summary }, signal });
      state.registeredAt = 0;
      return reply;
    }
    state.registeredAt = 0;
    const note = found ? "This session had ended before." : "This session saved nothing: there is nothing to end.";
    return { ended: false, session_id: state.key, note };
  }

  return { end, forget: (id) => states.delete(id), identity, project: (session) => project(of(session)) };
}
