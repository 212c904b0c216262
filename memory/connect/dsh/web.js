// Only where DSH has a web server: tells its page where MemDock's capsule is, if that page may frame it.
import { base } from "./server.js";

const [PATH, PROBE_MS] = ["/memdock-dsh/place", 1500];

// MemDock names the pages that may frame the capsule in its policy; in any other a browser shows a broken frame.
async function mayFrame(capsule, host) {
  const answer = await fetch(capsule, { redirect: "manual", signal: AbortSignal.timeout(PROBE_MS) });
  const policy = answer.headers.get("content-security-policy") ?? "";
  const [, ancestors = ""] = policy.match(/frame-ancestors ([^;]*)/) ?? [];
  return ancestors.split(/\s+/).some((origin) => origin.endsWith(`://${host}`));
}

export function web(ctx, { url, warn }) {
  async function place(host) {
    const capsule = `${base({ url })}/dock/capsule/`;
    try {
      if (await mayFrame(capsule, host)) return { capsule };
      warn("the capsule is not shown", `MEMDOCK_EMBED_ORIGINS does not name http://${host}`);
    } catch (error) {
      warn("the capsule is not shown", error);
    }
    return {};
  }

  async function handler({ method, headers }, response) {
    const isRead = method === "GET" || method === "HEAD";
    const body = isRead ? await place(headers.host) : {};
    response.writeHead(isRead ? 200 : 405, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(body));
  }

  ctx.inject(["webServer"], (scope) => {
    scope.effect(() => scope.webServer.register({ kind: "exact", path: PATH, handler }), "memdock: where it is");
  });
}
