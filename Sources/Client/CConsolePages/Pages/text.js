// A text that several write at once. What is typed goes out as a splice on the state that was read last; if
// the document changed meanwhile the daemon refuses it (412), the two are merged here, and it goes out again.

import { h } from "./dom.js";
import { complain } from "./dialogs.js";
import { isChangedMeanwhile } from "./document.js";
import { apply, difference, merge, moved } from "./merge.js";
import { Slot } from "./slot.js";

const pauseMilliseconds = 250;

export class TextSlot extends Slot {
  constructor(editor, value, path, label) {
    super(editor, value, path, label);
    /** The text that the daemon has, as far as is known. */
    this.base = value.value;
    this.area = h("textarea", {
      rows: 3,
      "aria-label": this.label,
      spellcheck: "false",
      value: value.value,
      oninput: () => this.schedule(),
      onblur: () => this.flush()
    });
    this.body.append(this.area);
  }

  show(value) {
    const theirs = value.value;
    if (theirs === this.base) return;
    const before = this.area.value;
    const [start, end] = [this.area.selectionStart, this.area.selectionEnd];
    const merged = merge(this.base, before, theirs);
    const edit = difference(before, merged);
    this.base = theirs;
    if (edit) {
      this.area.value = merged;
      if (document.activeElement === this.area) {
        this.area.setSelectionRange(moved(start, edit), moved(end, edit));
      }
    }
    if (merged !== theirs) this.schedule();
  }

  leave() { this.flush(); }

  schedule() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), pauseMilliseconds);
  }

  async flush() {
    clearTimeout(this.timer);
    if (this.isSending) return;
    this.isSending = true;
    // What is being read is merged first: an edit of an older state would only be refused.
    await this.open.reading;
    const edit = difference(this.base, this.area.value);
    let isRefused = false;
    if (edit) {
      this.element.classList.add("unsaved");
      try {
        await this.open.write([{ op: "splice", path: this.path, ...edit }], { ifUnchanged: true });
        this.base = apply(this.base, edit);
        this.element.classList.remove("unsaved");
      } catch (error) {
        isRefused = !isChangedMeanwhile(error);
        if (isRefused) complain(error);
      }
    }
    this.isSending = false;
    // Typed meanwhile, or not taken because somebody else wrote: merged, it goes out again.
    if (!isRefused && this.base !== this.area.value) this.schedule();
  }
}
