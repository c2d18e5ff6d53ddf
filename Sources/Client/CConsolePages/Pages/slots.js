// Places without places in them: registers, counters, sets of scalars, and what a newer daemon may bring.

import { fill, h, iconButton, select } from "./dom.js";
import { note } from "./dialogs.js";
import { isNumber, parse, plain, write } from "./json.js";
import { Slot } from "./slot.js";

const typeOf = (value) => value === null ? "null" : isNumber(value) ? "number" : typeof value;
/** What the control looks like: a text of several lines has another one. */
const shapeOf = (value) => typeof value === "string" && value.includes("\n") ? "lines" : typeOf(value);
const typeNames = [
  ["string", "text"],
  ["number", "number"],
  ["boolean", "yes or no"],
  ["null", "null"]
];

/** A number as JSON writes one; undefined for anything else. */
export function number(text) {
  try {
    const value = parse(text.trim());
    return isNumber(value) ? value : undefined;
  } catch { return undefined; }
}

/** JSON, or a text where it is none, as replctl takes a VALUE; only scalars. */
export function scalar(text) {
  try {
    const value = parse(text.trim());
    return typeof value === "object" && value !== null ? text : value;
  } catch { return text; }
}

/** One value: a text, a number, yes or no, or null. It is written when it is left or Enter is pressed. */
export class RegisterSlot extends Slot {
  constructor(editor, value, path, label) {
    super(editor, value, path, label);
    this.types = select(typeNames, typeOf(value.value), {
      "aria-label": `Type of ${this.label}`,
      class: "type",
      onchange: () => this.retype()
    });
    this.place = h("span", { class: "value" });
    this.body.append(this.place, this.types);
    this.title = this.label;
  }

  show(value) {
    const shape = shapeOf(value.value);
    if (this.isDirty && document.activeElement === this.input) {
      this.shown = value.value;
      return;
    }
    if (this.shape === shape && write(this.shown) === write(value.value)) return;
    this.shown = value.value;
    if (this.shape === shape && shape !== "null") {
      if (shape === "boolean") this.input.checked = value.value;
      else this.input.value = plain(value.value);
      this.isDirty = false;
      return;
    }
    this.draw(value.value);
  }

  draw(value) {
    const type = typeOf(value);
    this.type = type;
    this.shape = shapeOf(value);
    this.types.value = type;
    this.isDirty = false;
    if (type === "null") {
      this.input = null;
      fill(this.place, h("span", { class: "muted" }, "null"));
    } else if (type === "boolean") {
      this.input = h("input", {
        type: "checkbox",
        checked: value,
        "aria-label": this.title,
        onchange: () => this.store(this.input.checked)
      });
      fill(this.place, this.input);
    } else {
      this.input = h(this.shape === "lines" ? "textarea" : "input", {
        type: this.shape === "lines" ? null : "text",
        value: plain(value),
        "aria-label": this.title,
        autocomplete: "off",
        inputmode: type === "number" ? "decimal" : null,
        oninput: () => { this.isDirty = true; },
        onchange: () => this.changed(),
        onkeydown: (event) => { if (event.key === "Escape") this.undo(); }
      });
      fill(this.place, this.input);
    }
  }

  leave() { if (this.isDirty) this.changed(); }

  undo() {
    this.input.value = plain(this.shown);
    this.isDirty = false;
    this.input.removeAttribute("aria-invalid");
  }

  changed() {
    const value = this.type === "number" ? number(this.input.value) : this.input.value;
    this.input.toggleAttribute("aria-invalid", value === undefined);
    if (value === undefined) return note(`"${this.input.value}" is no number`, { tone: "warn",
      hint: "write it as 3 or -0.5; Escape takes it back" });
    return this.store(value);
  }

  async store(value) {
    this.isDirty = false;
    this.shown = value;
    await this.open.attempt({ op: "set", path: this.path, value });
  }

  /** Another type for what is there: the value that fits best. */
  async retype() {
    const type = this.types.value;
    const text = this.shown === null ? "" : plain(this.shown);
    const value = { string: text, number: number(text) ?? 0, boolean: this.shown === true || text ===
        "true", null: null } [type];
    this.draw(value);
    await this.store(value);
  }
}

/** A number that adds up. */
export class CounterSlot extends Slot {
  constructor(editor, value, path, label) {
    super(editor, value, path, label);
    this.total = h("output", { class: "total" });
    const amount = h("input", {
      type: "text",
      inputmode: "numeric",
      value: "1",
      class: "amount",
      "aria-label": `Amount for ${this.label}`
    });
    const add = async (sign) => {
      const by = number(amount.value);
      if (by === undefined || !Number.isInteger(Number(by))) return note(
        `"${amount.value}" is no whole number`, { tone: "warn" });
      return this.open.attempt({ op: "increment", path: this.path, by: sign < 0 ? -by : by });
    };
    this.body.append(
      h("button", { type: "button", "aria-label": `Take the amount off ${this.label}`, onclick: () =>
          add(-1) }, "−"),
      this.total,
      h("button", { type: "button", "aria-label": `Add the amount to ${this.label}`, onclick: () => add(
          1) }, "+"),
      h("span", { class: "muted" }, "by"), amount);
  }

  show(value) { this.total.textContent = plain(value.value); }
}

/** Distinct scalars without an order. */
export class ScalarSetSlot extends Slot {
  constructor(editor, value, path, label) {
    super(editor, value, path, label);
    this.members = h("ul", { class: "chips" });
    this.input = h("input", {
      type: "text",
      placeholder: "add a value",
      autocomplete: "off",
      "aria-label": `Value to add to ${this.label}`
    });
    const form = h("form", { class: "inline", onsubmit: (event) => { event.preventDefault();
          this.add(); } },
      this.input, h("button", {}, "Add"));
    this.body.append(this.members, form);
  }

  async add() {
    if (this.input.value === "") return;
    if (await this.open.attempt({ op: "add", path: this.path, value: scalar(this.input.value) })) this
      .input.value = "";
  }

  show(value) {
    const text = write(value.value);
    if (this.shown === text) return;
    this.shown = text;
    fill(this.members, value.value.map((member) => h("li", { class: typeof member === "string" ? null :
          "mono" },
      h("span", {}, plain(member)),
      iconButton("remove", `Remove ${plain(member)}`,
        () => this.open.attempt({ op: "remove", path: this.path, value: member })))));
    if (value.value.length === 0) fill(this.members, h("li", { class: "none" }, "nothing in it"));
  }
}

/** A kind that this page does not know. */
export class UnknownSlot extends Slot {
  show(value) { fill(this.body, h("pre", {}, write(value.value))); }
}
