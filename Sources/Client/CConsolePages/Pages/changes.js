// Changes as they are committed, of this box and of others: who, when, what. Those of before stand in the
// log, without what they changed.

import { lines, part } from "./api.js";
import { fill, h } from "./dom.js";
import { attempt } from "./dialogs.js";
import { feedOf } from "./feed.js";
import { plain } from "./json.js";
import { colourClass, count, dotted, moment, nameOf } from "./words.js";

const shownMax = 300;
/** Lines of the log that are kept while it is read through. */
const logMax = 500;

/** A patch in a line of words. */
export function patchText(patch) {
  const path = dotted(patch.path);
  const cut = (text) => text.length > 120 ? `${text.slice(0, 119)}…` : text;
  if (patch.delete) return path ? `${path} deleted` : "deleted";
  if (patch.splice) {
    const { insert } = patch.splice;
    const added = typeof insert === "string" ? `“${cut(insert)}”` : insert?.length ? cut(insert.map(plain)
      .join(", ")) : "";
    const gone = patch.splice.delete ? `${patch.splice.delete} deleted` : "";
    return `${path}: ${[added && `${added} put in`, gone].filter(Boolean).join(", ") || "unchanged"} at ${patch.splice.index}`;
  }
  return `${path} = ${cut(plain(patch.set))}`;
}

function changeItem(space, line) {
  const patches = (document) => document.patches.length === 0 ? ["made, empty"] : document.patches.slice(0,
    6).map(patchText);
  return h("li", { class: `card change ${colourClass(line.author?.device)}` },
    h("p", { class: "row-head" }, h("span", { class: "dot", "aria-hidden": "true" }), h("strong", {},
        nameOf(line.author)),
      h("time", { class: "muted", datetime: line.timestamp ? new Date(line.timestamp).toISOString() :
          null }, line.timestamp ? moment(line.timestamp) : ""),
      line.cause ? h("span", { class: "pill warn" }, line.cause) : null),
    h("ul", {}, line.documents.slice(0, 10).map((document) => h("li", {},
      h("a", { href: `#/space/${part(space)}/documents/${part(document.key)}` }, document.key),
      h("ul", { class: "patches" }, patches(document).map((text) => h("li", {}, text)),
        document.patches.length > 6 ? h("li", { class: "muted" },
          `and ${document.patches.length - 6} more`) : null)))),
    line.documents.length > 10 ? h("p", { class: "muted" },
      `and ${count(line.documents.length - 10, "document")} more`) : null);
}

export function changesView(space) {
  const feed = feedOf(space.id);
  const list = h("ol", { class: "cards changes", "aria-label": "Changes, the newest first" });
  const state = h("p", { class: "muted", role: "status" });
  const log = h("ol", { class: "cards", "aria-label": "Earlier changes, the newest first" });
  const earlier = h("button", { type: "button", onclick: () => attempt(earlier, () => readLog(space.id, log,
      earlier)) }, "Show earlier changes");
  const tell = () => fill(state, feed.lines.length === 0 ?
    "Waiting for the next change; it appears here as it is committed." :
    `Live: ${count(feed.lines.length, "change")} since this page was opened.`);
  for (const line of feed.lines.slice(0, shownMax)) list.append(changeItem(space.id, line));
  tell();
  return {
    element: h("div", {}, h("h2", { class: "hidden" }, "Changes"), state, list, h("h2", {}, "Earlier"), log,
      earlier),
    line(line) {
      list.prepend(changeItem(space.id, line));
      list.firstElementChild.classList.add("fresh");
      if (list.children.length > shownMax) list.lastElementChild.remove();
      tell();
    },
    close() {}
  };
}

/** The log goes forward only: it is read through, and its end is shown. */
async function readLog(space, list, button) {
  let held = [];
  let total = 0;
  for await (const line of lines(`spaces/${part(space)}/log`)) {
    held.push(line);
    total += 1;
    if (held.length >= logMax * 2) held = held.slice(-logMax);
    if (total % 10_000 === 0) fill(button, `${count(total, "change")} read…`);
  }
  held = held.slice(-logMax).reverse();
  fill(list, held.map((line) => h("li", { class: `card slim ${colourClass(line.author?.device)}` },
    h("span", {}, h("span", { class: "dot", "aria-hidden": "true" }), h("strong", {}, nameOf(line
        .author)),
      h("span", { class: "muted" },
        ` · ${moment(line.timestamp)} · ${count(line.last - line.first + 1, "operation")}`)),
    line.status === "executed" ? null : h("span", { class: "pill warn" }, line.status))));
  fill(button, total > held.length ? `Read again: the last ${held.length} of ${total} are shown` :
    "Read again");
}

/** Who wrote a document, the newest first. */
export async function documentHistory(space, key, list) {
  let held = [];
  for await (const line of lines(`spaces/${part(space)}/log?document=${part(key)}`)) {
    held.push(line);
    if (held.length > 200) held = held.slice(-100);
  }
  fill(list, held.slice(-100).reverse().map((line) => h("li", { class: colourClass(line.author?.device) },
    h("span", { class: "dot", "aria-hidden": "true" }), h("strong", {}, nameOf(line.author)), h(
      "span", { class: "muted" }, ` · ${moment(line.timestamp)}`),
    line.status === "executed" ? null : h("span", { class: "pill warn" }, line.status))));
}
