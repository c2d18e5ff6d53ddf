// Places with places in them: maps, lists of anything, and ordered sets. Elements of a list are named by their
// ids, so that an edit meets its element wherever others move it.

import { fill, h, iconButton, select } from "./dom.js";
import { plain, write } from "./json.js";
import { arrange, Slot } from "./slot.js";
import { scalar } from "./slots.js";

/** What a new place can be, and the operation that makes it. */
const newKinds = [
  ["value", "value"],
  ["text", "text, written together"],
  ["counter", "counter"],
  ["list", "list"],
  ["set", "set"],
  ["ordered-set", "ordered set"],
  ["remove-wins-set", "set, removal wins"],
  ["map", "map"],
];

export class MapSlot extends Slot {
  constructor(editor, value, path, label) {
    super(editor, value, path, label);
    this.children = new Map();
    this.rows = h("div", { class: "members" });
    this.none = h("p", { class: "muted none" }, "nothing in it yet");
    this.body.append(this.rows, this.none, editor.isReadOnly ? "" : this.form());
  }

  form() {
    const where = this.label;
    this.key = h("input", { type: "text", placeholder: "name",
    autocomplete: "off", "aria-label": `Name of a new place in ${where}` });
    this.newKind = select(newKinds, "value", { "aria-label": `Kind of the new place in ${where}` });
    this.newValue = h("input", { type: "text", placeholder: "value",
    autocomplete: "off", "aria-label": `Value of the new place in ${where}` });
    this.newKind.addEventListener("change", () => { this.newValue.hidden = this.newKind.value !==
        "value"; });
    return h("form", { class: "inline add", onsubmit: (event) => { event.preventDefault();
          this.add(); } },
      this.key, this.newKind, this.newValue, h("button", {}, "Add"));
  }

  async add() {
    const path = [...this.path, this.key.value];
    const kind = this.newKind.value;
    const operation = kind === "value" ? { op: "set", path, value: scalar(this.newValue.value) } :
    { op: "make", path, kind };
    if (await this.open.attempt(operation)) {
      this.key.value = "";
      this.newValue.value = "";
      this.key.focus();
    }
  }

  show(value) {
    const names = Object.keys(value.value);
    for (const [name, child] of this.children) {
      if (Object.hasOwn(value.value, name) && child.takes(value.value[name])) continue;
      child.element.remove();
      this.children.delete(name);
    }
    for (const name of names) {
      if (!this.children.has(name)) {
        this.children.set(name, this.editor.make(value.value[name], [...this.path, name], name === "" ?
          '""' : name));
      }
      this.children.get(name).update(value.value[name]);
    }
    arrange(this.rows, names.map((name) => this.children.get(name).element));
    this.none.hidden = names.length > 0;
  }

  inner(step) { return this.children.get(step) ?? null; }
  leave() { for (const child of this.children.values()) child.leave(); }
}

export class ListSlot extends Slot {
  constructor(editor, value, path, label) {
    super(editor, value, path, label);
    this.rows = h("ol", { class: "elements" });
    this.children = new Map();
    this.order = [];
    this.none = h("p", { class: "muted none" }, "nothing in it yet");
    this.input = h("input", { type: "text", placeholder: "add at the end",
    autocomplete: "off", "aria-label": `Element to add to ${this.label}` });
    const kind = select([
      ["value", "value"],
      ["map", "map"],
      ["list", "list"]
    ], "value", { "aria-label": `Kind of the new element of ${this.label}` });
    kind.addEventListener("change", () => { this.input.hidden = kind.value !== "value"; });
    this.body.append(this.rows, this.none, editor.isReadOnly ? "" : h("form", {
      class: "inline",
      onsubmit: (event) => {
        event.preventDefault();
        this.add(kind.value);
      }
    }, this.input, kind, h("button", {}, "Add")));
  }

  async add(kind) {
    const value = { value: scalar(this.input.value), map: {}, list: [] } [kind];
    if (await this.open.attempt({ op: "insert", path: this.path, index: -1, values: [value] })) this.input
      .value = "";
  }

  show(value) {
    const elements = value.elements ?? [];
    this.order = elements.map((element) => element.id);
    for (const [id, child] of this.children) {
      const element = elements.find((element) => element.id === id);
      if (element && child.slot.takes(element)) continue;
      child.element.remove();
      this.children.delete(id);
    }
    elements.forEach((element, index) => {
      if (!this.children.has(element.id)) this.children.set(element.id, this.row(element));
      const child = this.children.get(element.id);
      child.slot.update(element);
      child.up.disabled = index === 0;
      child.down.disabled = index === elements.length - 1;
    });
    arrange(this.rows, this.order.map((id) => this.children.get(id).element));
    this.none.hidden = elements.length > 0;
  }

  row(element) {
    const { id } = element;
    const slot = this.editor.make(element, [...this.path, { id }], null);
    slot.indexOf = (index) => index === this.path.length ? this.order.indexOf(id) : this.indexOf(index);
    const move = (step) => this.open.attempt({ op: "move", path: this.path, id, to: this.order.indexOf(
        id) + step });
    const up = iconButton("up", "Move up", () => move(-1));
    const down = iconButton("down", "Move down", () => move(1));
    const remove = iconButton("remove", "Delete this element", () => this.editor.remove(slot,
      `element ${this.order.indexOf(id)}`));
    return { slot, up, down, element: h("li", {}, slot.element, this.editor.isReadOnly ? null : h(
      "span", { class: "tools" }, up, down, remove)) };
  }

  leave() { for (const child of this.children.values()) child.slot.leave(); }

  inner(step) {
    const id = typeof step === "number" ? this.order[step] : step?.id;
    return this.children.get(id)?.slot ?? null;
  }
}

/** Distinct scalars in an order. */
export class OrderedSetSlot extends Slot {
  constructor(editor, value, path, label) {
    super(editor, value, path, label);
    this.rows = h("ol", { class: "elements scalars" });
    this.input = h("input", { type: "text", placeholder: "add at the end",
    autocomplete: "off", "aria-label": `Value to add to ${this.label}` });
    this.body.append(this.rows, editor.isReadOnly ? "" : h("form", {
      class: "inline",
      onsubmit: async (event) => {
        event.preventDefault();
        if (this.input.value === "") return;
        if (await this.open.attempt({ op: "insert", path: this.path, index: -1, values: [scalar(
              this.input.value)] })) this.input.value = "";
      }
    }, this.input, h("button", {}, "Add")));
  }

  show(value) {
    const text = write(value.value);
    if (this.shown === text) return;
    this.shown = text;
    const last = value.value.length - 1;
    fill(this.rows, value.value.map((member, index) => h("li", {}, h("span", { class: typeof member ===
          "string" ? null : "mono" }, plain(member)),
      this.editor.isReadOnly ? null : h("span", { class: "tools" },
        iconButton("up", `Move ${plain(member)} up`, () => this.move(member, index -
        1), { disabled: index === 0 }),
        iconButton("down", `Move ${plain(member)} down`, () => this.move(member, index +
        1), { disabled: index === last }),
        iconButton("remove", `Remove ${plain(member)}`, () => this.open.attempt({ op: "remove",
          path: this.path, value: member }))))));
  }

  /** An insertion of what is there moves it. */
  move(member, index) {
    return this.open.attempt({ op: "insert", path: this.path, index, values: [member] });
  }
}
