// The documents of a space: a list that finds and sorts, and beside it the one that is open. Both are alive:
// rows and places that somebody writes are marked in that box's colour.

import { get, isThere, part, query, transact } from "./api.js";
import { field, fill, h, iconButton, say } from "./dom.js";
import { ask, attempt, complain, confirm, copyText, note } from "./dialogs.js";
import { documentHistory } from "./changes.js";
import { documentConflicts } from "./conflicts.js";
import { Editor } from "./editor.js";
import { OpenDocument } from "./document.js";
import { isObject, plain } from "./json.js";
import { FoundDocuments, WholeSpace } from "./listing.js";
import { spaceOf } from "./node.js";
import { VirtualList } from "./virtual.js";
import { ago, colourClass, count, grouped, nameOf } from "./words.js";

const rowHeight = 52;
const touchedMilliseconds = 8_000;

/** The first few values of a document, in a line. */
export function preview(value) {
  if (!isObject(value)) return plain(value);
  const words = Object.entries(value).slice(0, 6).map(([name, inner]) =>
    `${name}: ${Array.isArray(inner) ? `[${inner.length}]` : isObject(inner) ? "{…}" : plain(inner)}`);
  return words.join(" · ").slice(0, 200) || "empty";
}

export function documentsView(space, openKey) {
  const view = new DocumentsView(space);
  view.open(openKey);
  return view;
}

class DocumentsView {
  constructor(space) {
    this.space = space;
    this.base = `#/space/${part(space.id)}/documents`;
    this.previews = new Map();
    this.touched = new Map();
    this.list = new VirtualList({
      label: "Documents",
      rowHeight,
      draw: (index, row) => this.draw(index, row),
      open: (index) => this.choose(index),
      seen: (first, last) => this.seen(first, last)
    });
    this.total = h("p", { class: "muted small", role: "status" });
    this.pane = h("div", { class: "pane" });
    this.element = h("div", { class: "documents" }, h("h2", { class: "hidden" }, "Documents"),
      h("div", { class: "finder" }, this.tools(), this.total, this.list.element), this.pane);
    this.reload();
  }

  // MARK: Finding

  tools() {
    this.prefix = h("input", { type: "search", placeholder: "note/", autocomplete: "off" });
    this.where = h("input", { type: "search", placeholder: "done = false and qty >= 3",
      autocomplete: "off", spellcheck: "false", "aria-describedby": "where-error" });
    this.order = h("input", { type: "text", placeholder: "key, or a path; -path turns it",
      autocomplete: "off", spellcheck: "false" });
    this.error = h("p", { class: "problem", id: "where-error", role: "alert" });
    const form = h("form", { class: "find", role: "search", onsubmit: (event) => { event.preventDefault();
          this.reload(); } },
      h("div", { class: "line" }, field("Key begins with", this.prefix), h("button", { class: "main" },
        "Find")),
      h("details", {}, h("summary", {}, "Filter and order"),
        field("Only where", this
        .where, { hint: "PATH = != < <= > >= VALUE, PATH ~ \"part\", PATH has VALUE, PATH exists, PATH missing; joined by and. Values are JSON." }),
        field("In the order of", this.order)), this.error);
    for (const input of [this.prefix, this.where, this.order]) input.addEventListener("search", () => this
      .reload());
    return h("div", { class: "find-box" }, form, h("div", { class: "actions" },
      h("button", { type: "button", onclick: (event) => this.add(event.currentTarget) },
        "New document"),
      h("a", { class: "button", download: `${this.space.name}.ndjson`,
        href: `v1/spaces/${part(this.space.id)}/export?view=typed` }, "Export")));
  }

  get isNarrowed() { return [this.prefix, this.where, this.order].some((input) => input.value.trim() !==
    ""); }

  reload() {
    const changed = () => this.list.setCount(this.source.count);
    fill(this.error);
    this.hasFailed = false;
    this.previews.clear();
    if (this.isNarrowed) {
      this.source = new FoundDocuments(this.space.id, { prefix: this.prefix.value, where: this.where.value
          .trim(), order: this.order.value.trim() }, changed);
    } else {
      this.source = new WholeSpace(this.space.id, spaceOf(this.space.id)?.documents ?? this.space
        .documents, changed);
    }
    this.list.active = -1;
    this.list.moveTo(0);
    changed();
  }

  async seen(first, last) {
    const { source } = this;
    clearTimeout(this.settle);
    this.settle = setTimeout(() => this.readPreviews(first, last), 120);
    try { await source.want(first, last); } catch (error) {
      if (source !== this.source) return;
      if (error.code === "cursor-expired") return void this.reload();
      source.isWhole = true;
      this.hasFailed = true;
      this.list.setCount(source.count);
      this.showError(error);
    }
    this.sayTotal();
  }

  showError(error) {
    const position = error.details?.position;
    const at = typeof position === "number" ?
      ` At “${[...this.where.value].slice(position, position + 12).join("") || "the end"}”.` : "";
    fill(this.error, `${error.message}.${at} ${error.hint ?? ""}`);
  }

  sayTotal() {
    const { source } = this;
    if (this.hasFailed) return say(this.total, "");
    return say(this.total, source instanceof FoundDocuments ?
      `${source.isWhole ? "" : "at least "}${count(source.rows.length, "document")} found${source.index ? `, by the index ${source.index}` : source.isWhole ? `, ${grouped(source.lookedAt)} looked at` : ""}` :
      count(source.count, "document"));
  }

  /** Values of the rows in sight, one by one: a listing would hold a state of the store for each look. */
  async readPreviews(first, last) {
    const { source } = this;
    if (source instanceof FoundDocuments) return;
    const keys = [];
    for (let index = first; index <= last; index += 1) {
      const key = source.key(index);
      if (key !== null && !this.previews.has(key)) keys.push(key);
    }
    const read = async () => {
      for (let key = keys.shift(); key !== undefined && source === this.source; key = keys.shift()) {
        const found = await get(`spaces/${part(this.space.id)}/documents/${part(key)}`).catch(() =>
          null);
        this.previews.set(key, found ? preview(found.value) : "");
      }
    };
    if (this.previews.size > 5_000) this.previews.clear();
    await Promise.all([read(), read()]);
    this.redraw();
  }

  redraw() {
    for (const [index, row] of this.list.rows) this.draw(index, row);
  }

  draw(index, row) {
    const key = this.source.key(index);
    const touch = key === null ? null : this.touched.get(key);
    const text = this.source.value ? preview(this.source.value(index) ?? null) : this.previews.get(key) ??
      "";
    const state = `${key}\n${text}\n${touch?.author ?? ""}\n${key === this.openKey}`;
    if (row.dataset.state === state) return;
    row.dataset.state = state;
    row.className =
      `row${touch ? ` touched ${colourClass(touch.device)}` : ""}${key === this.openKey ? " open" : ""}${key === null ? " waiting" : ""}`;
    fill(row, key === null ? h("span", { class: "muted" }, "reading…") : [
      h("span", { class: "key" }, key), touch ? h("span", { class: "touched-by" }, touch.author) :
      null,
      h("span", { class: "preview" }, text)
    ]);
  }

  choose(index) {
    const key = this.source.key(index);
    if (key !== null) location.hash = `${this.base}/${part(key)}`;
  }

  async add(button) {
    const input = h("input", { type: "text", required: true, autocomplete: "off",
      placeholder: "note/groceries" });
    const answer = await ask("New document", [field("Key",
      input, { hint: "1 to 512 bytes; a slash groups: note/groceries" })],
      [{ label: "Cancel", value: "", cancels: true }, { label: "Make it", value: "make", tone: "main" }]
      );
    if (answer !== "make") return;
    await attempt(button, async () => {
      if (await isThere(this.space.id, input.value)) note(`${input.value} was there already`);
      else await transact(this.space.id, [{ op: "set", document: input.value, path: [],
          value: {} }]);
      location.hash = `${this.base}/${part(input.value)}`;
    });
  }

  // MARK: The open document

  open(key) {
    this.opened?.close();
    this.opened = null;
    this.openKey = key;
    this.element.classList.toggle("is-open", key !== null);
    if (key === null) {
      fill(this.pane, h("p", { class: "muted hollow" }, "Choose a document, or make a new one."));
    } else {
      this.opened = new DocumentPane(this.space, key, this.base);
      fill(this.pane, this.opened.element);
    }
    this.redraw();
  }

  // MARK: Others

  line(line) {
    for (const document of line.documents) {
      const isGone = document.patches.some((patch) => patch.delete && patch.path.length === 0);
      this.previews.delete(document.key);
      this.touched.set(document.key, { author: nameOf(line.author), device: line.author?.device });
      setTimeout(() => { this.touched.delete(document.key);
        this.redraw(); }, touchedMilliseconds);
      if (this.source.apply(document.key, !isGone)) this.list.setCount(this.source.count);
      if (document.key === this.openKey) this.opened?.line(line, document);
    }
    this.redraw();
    this.sayTotal();
    clearTimeout(this.settle);
    this.settle = setTimeout(() => this.readPreviews(Math.min(...this.list.rows.keys()), Math.max(...this
      .list.rows.keys())), 120);
  }

  /** What status counts: the list has as many rows before they are read. */
  counted(documents) {
    const { source } = this;
    if (!(source instanceof WholeSpace) || source.isWhole || source.total === documents) return;
    source.total = documents;
    this.list.setCount(source.count);
    this.sayTotal();
  }

  /** The stream is there again: a list that could not be read is tried again. */
  back() { if (this.hasFailed && this.source instanceof WholeSpace) this.reload(); }

  resync() {
    this.reload();
    this.opened?.open.refresh();
  }

  close() {
    this.opened?.close();
    this.list.close();
    clearTimeout(this.settle);
  }
}

/** The document beside the list. */
class DocumentPane {
  constructor(space, key, base) {
    Object.assign(this, { space, key });
    this.isReadOnly = !["writer", "admin"].includes(space.role) || space.state === "removed";
    this.open = new OpenDocument(space.id, key, (found) => this.show(found));
    this.editor = new Editor(this.open, { isReadOnly: this.isReadOnly });
    this.presence = h("ul", { class: "presence", "aria-label": "Who wrote here a moment ago" });
    this.people = new Map();
    this.gone = h("p", { class: "problem", hidden: true });
    this.conflicts = documentConflicts(space.id, key);
    this.where = h("ul", { class: "where" });
    this.history = h("ul", { class: "history" });
    const more = (title, list, load) => {
      const box = h("details", {}, h("summary", {}, title), list);
      box.addEventListener("toggle", () => { if (box.open) load().catch(complain); });
      return box;
    };
    this.element = h("article", { "aria-label": `Document ${key}` },
      h("div", { class: "row-head" }, h("a", { class: "button back", href: base }, "Back to the list"),
        h("h2", { class: "wrap" }, key),
        iconButton("copy", "Copy the key", (event) => copyText(key, event.currentTarget)),
        this.isReadOnly ? h("span", { class: "pill" }, "read only") : h("button", { type: "button",
          class: "danger", onclick: (event) => this.remove(event.currentTarget, base) }, "Delete…")),
      this.presence, this.gone, this.conflicts.element, this.editor.element,
      more("Who wrote it", this.history, () => documentHistory(space.id, key, this.history)),
      more("Where it is", this.where, () => this.explain()));
    this.open.refresh();
    this.conflicts.refresh().catch(complain);
  }

  show(found) {
    this.editor.element.hidden = found === null;
    this.gone.hidden = found !== null;
    if (found === null) return void fill(this.gone,
      "There is no such document here: it was deleted, or it has not arrived yet.");
    this.editor.update(found);
    const hasConflicts = JSON.stringify(found.value, (_, value) => typeof value === "bigint" ? String(
      value) : value).includes('"conflicts":[{');
    if (hasConflicts || !this.conflicts.element.hidden) this.conflicts.refresh().catch(complain);
    return undefined;
  }

  async line(line, document) {
    if (document.patches.some((patch) => patch.delete && patch.path.length === 0)) this.show(null);
    else await this.open.refresh();
    if (await this.open.isOwn(line.change)) return;
    this.editor.mark(document.patches, line.author ?? {});
    this.people.set(line.author?.device, { author: line.author, at: Date.now() });
    this.showPeople();
  }

  showPeople() {
    const now = Date.now();
    for (const [device, { at }] of this.people)
      if (now - at > 120_000) this.people.delete(device);
    fill(this.presence, [...this.people.values()].map(({ author, at }) => h("li", { class: colourClass(
            author?.device) },
        h("span", { class: "dot", "aria-hidden": "true" }), `${nameOf(author)} wrote here ${ago(at)}`
        )));
    clearTimeout(this.timer);
    if (this.people.size) this.timer = setTimeout(() => this.showPeople(), 10_000);
  }

  async explain() {
    const report = await get(`spaces/${part(this.space.id)}/explain${query({ key: this.key })}`);
    fill(this.where, h("li", {}, h("strong", {}, "Here"), `: ${report.here.message}`),
      report.peers.map((peer) => h("li", { class: colourClass(peer.device) }, h(
      "span", { class: "dot", "aria-hidden": "true" }), h("strong", {}, peer.name),
        `: ${peer.message}`)));
  }

  async remove(button, base) {
    const isSure = await confirm(`Delete ${this.key}?`, [
      "It goes on all boxes. An edit that somebody makes at the same time wins, and brings back what it touches."
    ], "Delete");
    if (!isSure) return;
    // Not by way of the open document, which would read it again.
    const written = await attempt(button, () => transact(this.space.id, [{ op: "delete", document: this
        .key, path: [] }]));
    if (written) location.hash = base;
  }

  close() {
    // What was typed and not sent yet still goes out.
    this.editor.leave();
    this.open.close();
    clearTimeout(this.timer);
  }
}
