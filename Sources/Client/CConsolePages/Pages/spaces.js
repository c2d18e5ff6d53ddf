// The spaces of this box: those that are there, a new one, and joining with a token that somebody gave.

import { call, get, lines, part } from "./api.js";
import { field, fill, h, refill } from "./dom.js";
import { attempt, complain, note } from "./dialogs.js";
import { follow, look, node } from "./node.js";
import { spaceCard } from "./overview.js";

export function spacesView() {
  const list = h("ul", { class: "cards spaces" });
  const name = h("input", { type: "text", required: true, autocomplete: "off" });
  const token = h("textarea", { rows: 3, required: true, class: "mono", spellcheck: "false",
    placeholder: "repl1-…" });
  const localName = h("input", { type: "text", autocomplete: "off" });
  const progress = h("p", { role: "status", class: "muted" });
  const create = async (event) => {
    event.preventDefault();
    await attempt(event.submitter, async () => {
      const space = await call("POST", "spaces", { body: { name: name.value } });
      await look();
      location.hash = `#/space/${part(space.id)}/members`;
      note(`${space.name} is there; invite another box next`, { tone: "good" });
    });
  };
  const join = async (event) => {
    event.preventDefault();
    await attempt(event.submitter, () => joinSpace(token.value.trim(), localName.value, progress));
  };
  const element = h("div", {}, h("h1", {}, "Spaces"), h("h2", { class: "hidden" }, "Of this box"), list,
    h("div", { class: "two" },
      h("form", { class: "panel", onsubmit: create }, h("h2", {}, "New space"),
        h("p", { class: "muted" }, "This box becomes its first admin."), field("Name", name), h(
        "button", { class: "main" }, "Create the space")),
      h("form", { class: "panel", onsubmit: join }, h("h2", {}, "Join a space"),
        h("p", { class: "muted" },
          "With a token from one of its admins, whose box must be reachable now."), field("Token", token),
        field("Name here, if it shall have another", localName), h("button", { class: "main" }, "Join"),
        progress)));
  const stop = follow(() => {
    const spaces = node.status?.spaces ?? [];
    refill(list, spaces, () => spaces.map(spaceCard));
  });
  return { element, close: stop };
}

async function joinSpace(token, name, progress) {
  try {
    for await (const line of lines("join", { method: "POST", body: name ? { token, name } :
      { token } })) {
      if (line.error) throw line.error;
      if (line.stage) fill(progress, `${line.stage}…`);
      if (line.space) {
        await look();
        location.hash = `#/space/${part(line.space.id)}/documents`;
        return note(
        `joined ${line.space.name} as ${line.space.role}; its documents keep arriving`, { tone: "good" });
      }
    }
    return undefined;
  } catch (error) {
    fill(progress);
    return complain(error);
  }
}

/** Of a space that the page does not know yet from status. */
export const readSpace = (id) => get(`spaces/${part(id)}`);
