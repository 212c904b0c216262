// An htmx swap style, "morph": changes what differs and keeps the elements, so that focus, selection and open details stay.
const keeps = (element, name) => name === "tabindex" || (name === "open" && element.localName === "details");

function syncAttributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !keeps(from, name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value && !keeps(from, name)) from.setAttribute(name, value);
  }
}

function alike(have, want) {
  return have.nodeName === want.nodeName && (have.id ?? "") === (want.id ?? "");
}

// An element with an id is the same element wherever it stands; without one, only what stands at this place can be.
function match(at, want) {
  if (!want.id) return at && alike(at, want) ? at : null;
  for (let node = at; node; node = node.nextSibling) {
    if (alike(node, want)) return node;
  }
  return null;
}

function place(parent, node, before) {
  if (parent.moveBefore && node.parentNode === parent) parent.moveBefore(node, before);
  else parent.insertBefore(node, before);
}

function morphChildren(from, to) {
  let at = from.firstChild;
  for (const want of [...to.childNodes]) {
    const have = match(at, want);
    if (have && have === at) at = at.nextSibling;
    else place(from, have ?? want, at);
    if (have) morph(have, want);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function morph(from, to) {
  if (from.isEqualNode(to)) return;
  if (from.nodeType !== Node.ELEMENT_NODE) {
    from.nodeValue = to.nodeValue;
    return;
  }
  syncAttributes(from, to);
  morphChildren(from, to);
}

window.htmx?.defineExtension("morph", {
  isInlineSwap: (style) => style === "morph",
  handleSwap(style, target, fragment) {
    if (style !== "morph") return false;
    const root = fragment.firstElementChild;
    if (root?.id && root.id === target.id) morph(target, root);
    else morphChildren(target, fragment);
    return [target];
  },
});
