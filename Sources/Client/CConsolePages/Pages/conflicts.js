// What two wrote at the same time: the value that shows, those that lost, and which shall stay. To take one
// gives the others up, so it asks first.

import { call, get, part, query } from "./api.js";
import { fill, h } from "./dom.js";
import { attempt, confirm, note } from "./dialogs.js";
import { plain } from "./json.js";
import { colourClass, count, dotted, moment, nameOf } from "./words.js";

/** One place with its values. `done` is called when it was settled. */
function place(space, conflict, done, { withKey }) {
  const path = dotted(conflict.path);
  const values = [conflict.shown, ...conflict.others];
  const take = async (button, index) => {
    const given = values.filter((_, other) => other !== index).map((value) => plain(value.value)).join(
      ", ");
    const isSure = await confirm("Keep this value?", [
      `${path || "The place"} becomes ${plain(values[index].value)}.`,
      `Given up on all boxes: ${given}`
    ], "Keep it");
    if (!isSure) return;
    await attempt(button, async () => {
      await call("POST", `spaces/${part(space)}/conflicts:resolve`, { body: { document: conflict
            .document, path: conflict.path, take: index } });
      note(`${path} is settled`, { tone: "good" });
      done();
    });
  };
  return h("li", { class: "card conflict" },
    h("h3", {}, withKey ? h("a", { href: `#/space/${part(space)}/documents/${part(conflict.document)}` },
        conflict.document) : null,
      withKey && path ? " · " : "", path),
    h("ul", { class: "values" }, values.map((value, index) => h("li", { class: colourClass(value.author
          ?.device) },
      h("span", { class: "candidate" }, plain(value.value)),
      h("span", { class: "muted" }, h("span", { class: "dot", "aria-hidden": "true" }),
        `${nameOf(value.author)}, ${moment(value.timestamp)}`,
        index === 0 ? ", shown now" : ""),
      h("button", { type: "button", onclick: (event) => take(event.currentTarget, index) },
        index === 0 ? "Keep this" : "Take this")))));
}

/** The conflicts of one document, in an element that hides itself where there are none. */
export function documentConflicts(space, key) {
  const list = h("ul", { class: "cards" });
  const element = h("section", { class: "conflicts", "aria-label": "Conflicts of this document",
      hidden: true },
    h("h3", {}, "Written at the same time"), list);
  const refresh = async () => {
    const page = await get(`spaces/${part(space)}/conflicts${query({ document: key, limit: 50 })}`);
    element.hidden = page.conflicts.length === 0;
    fill(list, page.conflicts.map((conflict) => place(space, conflict, refresh, { withKey: false })));
  };
  return { element, refresh };
}

/** All conflicts of a space, a page at a time. */
export function conflictsView(space) {
  const list = h("ul", { class: "cards" });
  const state = h("p", { class: "muted", role: "status" });
  const more = h("button", { type: "button", hidden: true }, "Show more");
  let next = null;
  let total = 0;
  const load = async (isFirst) => {
    const page = await get(
      `spaces/${part(space.id)}/conflicts${query({ after: isFirst ? null : next, limit: 50 })}`);
    if (isFirst) { fill(list);
      total = 0; }
    total += page.conflicts.length;
    for (const conflict of page.conflicts) {
      list.append(place(space.id, conflict, () => load(true), { withKey: true }));
    }
    next = page.next;
    more.hidden = next === null;
    fill(state, total === 0 && next === null ?
      "No conflicts: nothing was written in two places at the same time." :
      `${count(total, "place")}${next ? " so far" : ""}, each with more than one value. The first one shows until you choose.`
      );
  };
  more.addEventListener("click", () => attempt(more, () => load(false)));
  attempt(null, () => load(true));
  return {
    element: h("div", {}, h("h2", { class: "hidden" }, "Conflicts"), state, list, more),
    line: () => {},
    close: () => {}
  };
}
