// One line of work a session: it keeps its order, and what waits for it does not wait for long.
const DRAIN_MS = 3000;

export function queue(warn) {
  const lines = new Map(); // session id → { tail, waiting }
  let isClosed = false;

  // Does the work behind what was added before; the promise never fails. What comes after the close is left out.
  function add(id, what, work) {
    if (isClosed) return Promise.resolve();
    const line = lines.get(id) ?? lines.set(id, { tail: Promise.resolve(), waiting: 0 }).get(id);
    line.waiting += 1;
    line.tail = line.tail
      .then(work)
      .catch((error) => warn(what, error))
      .finally(() => {
        line.waiting -= 1;
        if (!line.waiting) lines.delete(id);
      });
    return line.tail;
  }

  const drain = (id) => (lines.has(id) ? within(lines.get(id).tail, DRAIN_MS) : undefined);

  return {
    add,
    drain,
    rest: () => Promise.all([...lines.keys()].map(drain)),
    close: () => void (isClosed = true),
  };
}

// What a promise gives, or undefined when that takes longer.
export function within(promise, milliseconds) {
  let timer;
  const limit = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
