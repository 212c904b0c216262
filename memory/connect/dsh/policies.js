// Which moments of a session's loop the memory plugins take part in: asked once a session.
const [POLICY_MS, RETRY_MS] = [2500, 10_000];

export function policies(call, { warn }) {
  const asked = new Map(); // session id → { policy, known, until }

  async function ask({ id, header }) {
    const query = new URLSearchParams({ session: id, cwd: header.cwd ?? "" });
    const found = await call("GET", `/agent-loop/policy?${query}`, undefined, { timeoutMs: POLICY_MS });
    if (!found?.retrieve || !found.store || !found.recall) throw new Error("this MemDock knows no memory plugins");
    return found;
  }

  // Gives undefined where there is no answer, and asks again after a while.
  function of(session) {
    const found = asked.get(session.id);
    if (found && Date.now() < found.until) return found.policy;
    const state = { until: Infinity };
    asked.set(session.id, state);
    state.policy = ask(session)
      .then((policy) => (state.known = policy))
      .catch((error) => {
        state.until = Date.now() + RETRY_MS;
        warn("memory plugins do not follow this session for now", error);
      });
    return state.policy;
  }

  // What is known to be off needs no look at anything.
  const isOff = ({ id }, group, name) => asked.get(id)?.known?.[group][name] === false;

  return { of, isOff, forget: (id) => void asked.delete(id) };
}
