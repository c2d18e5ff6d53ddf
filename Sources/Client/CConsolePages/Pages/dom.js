// Elements without markup: whatever a document, a name or an error says reaches the page as text. Nothing in
// the console sets innerHTML, and the page's policy (Trusted Types) would refuse it.

/** Makes an element. `props`: attributes, `on…` listeners, `class`, `data` for data-… . Nulls are left out. */
export function h(tag, props, ...children) {
  return build(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function svg(tag, props, ...children) {
  return build(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

function build(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Puts these children in place of those that are there. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** The same, but only where this state differs from the last one: what has the focus stays as it is. */
export function refill(element, state, make) {
  const text = JSON.stringify(state);
  if (element.dataset.state === text) return;
  element.dataset.state = text;
  fill(element, make());
}

/** Sets a text only where it differs, so that a reader of the screen is not told twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function icon(name, label) {
  const shapes = {
    up: "M8 3v10M3 8l5-5 5 5",
    down: "M8 3v10M3 8l5 5 5-5",
    remove: "M3 3l10 10M13 3L3 13",
    add: "M8 2v12M2 8h12",
    more: "M3 8h.01M8 8h.01M13 8h.01",
    copy: "M5 5V2h9v9h-3M2 5h9v9H2z",
    back: "M10 2L4 8l6 6",
  };
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
    label ? svg("title", {}, label) : null, svg("path", { d: shapes[name] }));
}

/** A button that only has a picture; its name is for those who do not see it. */
export function iconButton(name, label, onclick, props) {
  return h("button", { type: "button", class: "plain", "aria-label": label, title: label, onclick, ...
      props },
    icon(name));
}

let numbers = 0;
/** An id that no other element has. */
export function freshID(word) {
  numbers += 1;
  return `${word}-${numbers}`;
}

/** A labelled control: the label stands above it, or is hidden where the place says it. */
export function field(label, control, { hidden = false, hint = null } = {}) {
  control.id ||= freshID("field");
  const note = hint ? h("small", { id: freshID("hint") }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" },
    h("label", { for: control.id, class: hidden ? "hidden" : null }, label), control, note);
}

export function select(options, chosen, props) {
  return h("select", props, options.map(([value, text]) =>
    h("option", { value, selected: value === chosen }, text)));
}
