// What all places of a document have in the editor: an element, a label, and a mark of who touched it.

import { fill, freshID, h, iconButton } from "./dom.js";
import { plain } from "./json.js";
import { colourClass, dotted, nameOf } from "./words.js";

/** What all places have: an element, a label, a mark of who touched it. */
export class Slot {
  constructor(editor, value, path, label) {
    Object.assign(this, { editor, path, kind: value.kind, id: freshID("slot") });
    this.badge = h("span", { class: "touched-by", "aria-live": "off" });
    this.conflict = h("p", { class: "conflict-mark", hidden: true });
    this.name = label === null ? null : h("span", { class: "name", id: `${this.id}-name` }, label);
    this.more = iconButton("more", `More about ${this.label}`, () => editor.menu(
    this), { class: "plain more" });
    this.body = h("div", { class: "body" });
    this.element = h("div", { class: `slot ${value.kind}`, data: { kind: value.kind } },
      this.name ? h("div", { class: "head" }, this.name, h("span", { class: "kind" }, value.kind), this
        .badge, this.more) :
      this.badge,
      this.body, this.conflict);
  }

  get open() { return this.editor.open; }
  /** How the control is called by who does not see it: where it stands, without the ids of elements. */
  get label() {
    if (this.path.length === 0) return "the document";
    const words = this.path.filter((step) => typeof step !== "object");
    return typeof this.path.at(-1) === "object" ? `an element of ${dotted(words) || "the document"}` :
      dotted(words);
  }

  takes(value) { return value.kind === this.kind; }

  update(value) {
    const lost = value.conflicts ?? [];
    this.conflict.hidden = lost.length === 0;
    if (lost.length) {
      fill(this.conflict,
        `${lost.length === 1 ? "Another value was" : `${lost.length} other values were`} written at the same time: `,
        lost.map((other, index) => [index ? ", " : "", h("q", {}, plain(other.value))]),
        ". See the conflicts below.");
    }
    this.show(value);
  }

  /** The slot at the end of a patch's path, or the last one on the way. */
  at(path) { return path.length === 0 ? this : this.inner(path[0])?.at(path.slice(1)) ?? this; }
  inner() { return null; }
  /** The page goes to another document. */
  leave() {}
  /** Where in its list the element is that the path names at `index`. */
  indexOf() { return null; }

  touch(author) {
    this.element.classList.remove("touched", ...[...this.element.classList].filter((name) => name
      .startsWith("author-")));
    this.element.classList.add("touched", colourClass(author.device));
    fill(this.badge, nameOf(author));
    clearTimeout(this.fade);
    this.fade = setTimeout(() => {
      this.element.classList.remove("touched");
      fill(this.badge);
    }, 6_000);
  }
}

/** Puts children into this order and moves only what stands elsewhere, so that the focus stays. */
export function arrange(container, wanted) {
  for (const child of [...container.children])
    if (!wanted.includes(child)) child.remove();
  wanted.forEach((child, index) => {
    if (container.children[index] !== child) container.insertBefore(child, container.children[index] ??
      null);
  });
}
