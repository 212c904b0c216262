// When DSH shortens a conversation: its summary is archived, and the agent is told once what became of it.
import { createHash } from "node:crypto";
import { TimedOut } from "./engram.js";
import { redact } from "./server.js";
import { within } from "./queue.js";

const WAIT_MS = 3000;
const ABOUT = {
  type: "session_summary",
  title: "Compaction recovery summary",
  scope: "project",
  topic_key: "session/compaction-recovery",
};

const NOTICES = {
  confirmed: (project) =>
    `This conversation was compacted, and its summary is saved in the memory of ${project}. Do not save it again. ` +
    "mem_context brings back more.",
  unknown: (project) =>
    `This conversation was compacted. Whether its summary is saved in the memory of ${project} is not known. Do ` +
    "not save it yet, or it may be there twice: look with mem_search first, and save it once if it is missing.",
  failed: (project) =>
    `This conversation was compacted, and its summary could not be saved in the memory of ${project}. Before ` +
    "anything else, save it with mem_session_summary.",
  unavailable: () =>
    "This conversation was compacted, and its summary is not saved: session and project are not certain. Look with " +
    "mem_current_project or mem_doctor, then save the summary once.",
};

// Joined as MemDock joins it when the same summary comes with the turn, so that both are known as one.
const summaryOf = ({ summary }) =>
  (Array.isArray(summary) ? summary : [{ type: "text", text: summary ?? "" }])
    .filter((block) => block?.type === "text")
    .map((block) => redact(String(block.text ?? "")))
    .join("\n");

function operation(id, text) {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `compaction/${id}/${digest}`.slice(-200);
}

export function compactions(ctx, { request, own, line, warn }) {
  const notices = new Map(); // session id → { promise, text }
  const seen = new Set();

  async function identity(session) {
    try {
      return await own.identity(session);
    } catch (error) {
      warn("a compaction has no session to be archived in", error);
      return undefined;
    }
  }

  async function archive(session, text) {
    const about = text.trim() ? await identity(session) : undefined;
    if (!about) return { outcome: "unavailable" };
    const { project } = about;
    try {
      const body = { ...about, ...ABOUT, content: text, operation_id: operation(session.id, text) };
      await request("POST", "/observations", { body });
      return { outcome: "confirmed", project };
    } catch (error) {
      warn("a compaction is not archived", error);
      return { outcome: error instanceof TimedOut ? "unknown" : "failed", project };
    }
  }

  ctx.on("session/event", (session, { type, data }) => {
    if (type !== "compaction/summary" || seen.has(data.compactionId)) return;
    if (data.compactionId) seen.add(data.compactionId);
    const notice = {};
    notice.promise = line.add(session.id, "a compaction is not archived", async () => {
      const { outcome, project } = await archive(session, summaryOf(data));
      notice.text = `[memdock] ${NOTICES[outcome](project)}`;
    });
    notices.set(session.id, notice);
  });

  ctx.on("session/disposed", ({ id }) => void notices.delete(id));

  // Told before the next step, or before one after it when the archive takes its time; and once.
  return async ({ session }) => {
    const notice = notices.get(session.id);
    if (!notice) return undefined;
    await within(notice.promise, WAIT_MS);
    if (!notice.text || notices.get(session.id) !== notice) return undefined;
    return { text: notice.text, entered: () => notices.delete(session.id) };
  };
}
