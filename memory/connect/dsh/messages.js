// Messages of DSH: the text of one, and one of ours.
export const KIND = "memdock";

export const textOf = (content) =>
  (Array.isArray(content) ? content : [])
    .filter((block) => block?.type === "text" && typeof block.text === "string")
    .map((block) => block.text)
    .join("\n")
    .trim();

// A kind of its own: DSH 0.2 refuses "plugin", and capture must know the message from a person's.
export function message(text) {
  const source = { kind: KIND, form: "snapshot", sections: [{ name: KIND, text }] };
  return Object.freeze({ id: crypto.randomUUID(), role: "user", content: [{ type: "text", text }], source });
}
