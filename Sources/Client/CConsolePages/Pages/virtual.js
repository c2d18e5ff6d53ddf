// A list of any length of which only the rows that are seen exist. Browsers end at some million pixels, so a
// longer list has a shorter scroll height: small steps of the wheel move by pixels, far ones by share. It is
// a listbox: arrows, Page and Home/End move, Enter opens, and a reader of the screen hears "3 of 1,000,000".

import { freshID, h } from "./dom.js";

const heightMax = 8_000_000;

export class VirtualList {
  /** `draw(index, row)` fills a row; `open(index)` is a choice; `seen(first, last)` is told after scrolling. */
  constructor({ label, rowHeight, draw, open, seen }) {
    Object.assign(this, { rowHeight, draw, open, seen });
    this.count = 0;
    /** Pixels of the whole list above the first that is seen. */
    this.position = 0;
    this.active = -1;
    this.prefix = freshID("row");
    this.rows = new Map();
    this.spacer = h("div", { class: "spacer", role: "presentation" });
    this.layer = h("div", { class: "layer", role: "presentation" });
    this.element = h("div", {
      class: "virtual",
      role: "listbox",
      tabindex: "0",
      "aria-label": label,
      onscroll: () => this.scrolled(),
      onkeydown: (event) => this.pressed(event)
    }, this.spacer, this.layer);
    this.observer = new ResizeObserver(() => this.refresh());
    this.observer.observe(this.element);
  }

  get height() { return this.element.clientHeight; }
  get whole() { return this.count * this.rowHeight; }
  get scrollMax() { return Math.max(0, Math.min(this.whole, heightMax) - this.height); }
  get positionMax() { return Math.max(0, this.whole - this.height); }

  setCount(count) {
    this.count = count;
    this.spacer.style.height = `${Math.min(this.whole, heightMax)}px`;
    if (this.active >= count) this.active = count - 1;
    this.position = Math.min(this.position, this.positionMax);
    this.refresh();
  }

  /** Draws anew what is seen; for whoever has other contents. */
  refresh() {
    const first = Math.max(0, Math.floor(this.position / this.rowHeight) - 4);
    const last = Math.min(this.count - 1, Math.ceil((this.position + this.height) / this.rowHeight) + 4);
    for (const [index, row] of this.rows) {
      if (index < first || index > last) { row.remove();
        this.rows.delete(index); }
    }
    for (let index = first; index <= last; index += 1) {
      let row = this.rows.get(index);
      if (!row) {
        row = h("div", {
          class: "row",
          role: "option",
          id: `${this.prefix}-${index}`,
          onclick: () => { this.choose(index);
            this.open(index); }
        });
        this.rows.set(index, row);
        this.layer.append(row);
      }
      row.setAttribute("aria-posinset", index + 1);
      row.setAttribute("aria-setsize", this.count);
      row.setAttribute("aria-selected", index === this.active);
      row.style.transform =
        `translateY(${index * this.rowHeight - this.position + this.element.scrollTop}px)`;
      this.draw(index, row);
    }
    if (this.rows.has(this.active)) this.element.setAttribute("aria-activedescendant",
      `${this.prefix}-${this.active}`);
    else this.element.removeAttribute("aria-activedescendant");
    this.seen?.(first, last);
  }

  scrolled() {
    const top = this.element.scrollTop;
    const moved = top - (this.top ?? 0);
    this.top = top;
    const isWhole = this.whole <= heightMax;
    if (isWhole || this.scrollMax === 0) this.position = top;
    else if (top <= 0) this.position = 0;
    else if (top >= this.scrollMax) this.position = this.positionMax;
    else if (Math.abs(moved) < this.height * 2) this.position += moved;
    else this.position = top / this.scrollMax * this.positionMax;
    this.position = Math.max(0, Math.min(this.position, this.positionMax));
    this.refresh();
  }

  /** Brings a row into sight. */
  show(index) {
    const top = index * this.rowHeight;
    if (top < this.position) this.moveTo(top);
    else if (top + this.rowHeight > this.position + this.height) this.moveTo(top + this.rowHeight - this
      .height);
    else this.refresh();
  }

  moveTo(position) {
    this.position = Math.max(0, Math.min(position, this.positionMax));
    const share = this.positionMax === 0 ? 0 : this.position / this.positionMax;
    this.top = this.whole <= heightMax ? this.position : share * this.scrollMax;
    this.element.scrollTop = this.top;
    this.top = this.element.scrollTop;
    this.refresh();
  }

  choose(index) {
    this.active = index;
    this.show(index);
  }

  pressed(event) {
    const page = Math.max(1, Math.floor(this.height / this.rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this
        .count };
    if (event.key in steps && this.count > 0) {
      event.preventDefault();
      this.choose(Math.max(0, Math.min(this.count - 1, Math.max(0, this.active) + steps[event.key] -
        (this.active < 0 && steps[event.key] === 1 ? 1 : 0))));
    } else if ((event.key === "Enter" || event.key === " ") && this.active >= 0) {
      event.preventDefault();
      this.open(this.active);
    }
  }

  close() { this.observer.disconnect(); }
}
