// The browser's half: MemDock's capsule in a row of its own above the composer. DSH's web shell loads it as it is.
window.__ModuleLoader__.load({
  id: "memdock-dsh",
  factory: (require) => {
    const { createElement, useEffect, useRef, useState } = require("react");
    const [LOWEST, HIGHEST] = [44, 420];
    const isLocal = (host) => ["127.0.0.1", "localhost", "[::1]"].includes(host);

    // Both under the same name of this machine, or the browser would keep the person's sign-in out of the frame.
    async function capsule(session) {
      const place = (await (await fetch("/memdock-dsh/place")).json()).capsule;
      if (!place) return "";
      const url = new URL(place);
      if (isLocal(url.hostname) && isLocal(location.hostname)) url.hostname = location.hostname;
      url.searchParams.set("session", session);
      return url.href;
    }

    // The capsule may say how high it is, { memdock: "capsule", height }; a person may draw it to another height.
    function useHeight(frame) {
      const [height, setHeight] = useState(LOWEST);
      useEffect(() => {
        const hear = ({ source, data }) => {
          if (source !== frame.current?.contentWindow || data?.memdock !== "capsule") return;
          setHeight(Math.min(Math.max(Number(data.height) || LOWEST, LOWEST), HIGHEST));
        };
        addEventListener("message", hear);
        return () => removeEventListener("message", hear);
      }, []);
      return height;
    }

    function Capsule({ sessionId }) {
      const frame = useRef(null);
      const height = useHeight(frame);
      const [src, setSrc] = useState("");
      useEffect(() => {
        let isCurrent = true;
        const show = (url) => isCurrent && setSrc(url);
        capsule(sessionId).then(show, () => show(""));
        return () => (isCurrent = false);
      }, [sessionId]);
      if (!src) return null;
      const size = { width: "100%", maxWidth: 780, height, minHeight: LOWEST, flex: "none", margin: "0 auto" };
      const row = { ...size, overflow: "hidden", resize: "vertical" };
      const style = { display: "block", width: "100%", height: "100%", border: 0 };
      const framed = createElement("iframe", { ref: frame, src, title: "MemDock", style });
      return createElement("div", { style: row }, framed);
    }

    function apply(ctx) {
      const slot = { name: "conversation.input.dock", id: "memdock", order: 30 };
      ctx.slots.inject(slot.name, () => ctx.slots.register(slot, Capsule));
    }
    return { apply, inject: ["slots"] };
  },
});
