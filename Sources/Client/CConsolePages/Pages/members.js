// Who belongs to a space: members with roles, invites with a code for a camera, keys, changes that do not
// count and what can be adopted of them, and leaving. Everything that takes something away asks first, and
// says what the daemon says that it takes.

import { call, drawCode, get, lines, part, query } from "./api.js";
import { fill, h, icon, select, svg } from "./dom.js";
import { ask, attempt, complain, confirm, copyText, note } from "./dialogs.js";
import { look, node } from "./node.js";
import { ago, colourClass, count, moment, nameOf, roles, shortID } from "./words.js";

export function membersView(space) {
  const base = `spaces/${part(space.id)}`;
  const isAdmin = space.role === "admin" && space.state !== "removed";
  const view = { base, space, isAdmin };
  const parts = [membersPanel(view), invitesPanel(view), keysPanel(view), voidPanel(view), leavePanel(
  view)];
  view.reload = () => Promise.all(parts.map((section) => section.load?.())).catch(complain);
  view.reload();
  const timer = setInterval(() => { if (!document.hidden) parts[0].load().catch(() => {}); }, 5_000);
  return { element: h("div", {}, parts.map((section) => section.element)), line: () => {}, close: () =>
      clearInterval(timer) };
}

// MARK: Members

function membersPanel(view) {
  const list = h("ul", { class: "cards members" });
  let shown = "";
  const load = async () => {
    const { members } = await get(`${view.base}/members`);
    // Ages change by themselves; a card under somebody's finger is not drawn anew for them.
    const text = JSON.stringify(members.map(({ lastSeenMs, ...rest }) => [rest, Math.floor((Date.now() -
      (lastSeenMs ?? 0)) / 60_000)]));
    if (text === shown) return;
    shown = text;
    fill(list, members.map((member) => memberCard(view, member)));
  };
  return { load, element: h("section", { class: "panel", "aria-labelledby": "members-title" }, h(
    "h2", { id: "members-title" }, "Members"), list) };
}

function memberCard(view, member) {
  const name = member.name || shortID(member.device);
  const isSelf = member.device === node.status?.device;
  const isActive = member.state === "active";
  const facts = [isSelf ? "this box" : member.lastSeenMs ? `seen ${ago(member.lastSeenMs)}` :
    "not seen yet",
    member.behindChanges ? `lacks ${count(member.behindChanges, "change")}` : "", member.software ?
    `runs ${member.software}` : "",
    member.addedBy ? `added by ${nameOf(member.addedBy)}` : "",
    member.removedBy ?
    `removed by ${nameOf(member.removedBy)}${member.removedMs ? `, ${moment(member.removedMs)}` : ""}` :
    ""
  ];
  const role = view.isAdmin && isActive ?
    select(roles.map(([value]) => [value, value]), member.role, {
      "aria-label": `Role of ${name}`,
      onchange: (event) => changeRole(view, member, name, event.target)
    }) :
    h("span", { class: "pill" }, isActive ? member.role : member.state);
  return h("li", { class: `card ${colourClass(member.device)}` },
    h("div", { class: "row-head" }, h("h3", {}, h("span", { class: "dot", "aria-hidden": "true" }), name),
      role,
      view.isAdmin && isActive && !isSelf ?
      h("button", { type: "button", class: "danger", onclick: (event) => removeMember(view, member, name,
          event.currentTarget) }, "Remove…") : null),
    h("p", { class: "muted" }, facts.filter(Boolean).join(" · ")),
    h("p", { class: "muted small mono wrap" }, member.device));
}

async function changeRole(view, member, name, control) {
  const role = control.value;
  const rank = roles.map(([value]) => value);
  const isLower = rank.indexOf(role) < rank.indexOf(member.role);
  const meaning = roles.find(([value]) => value === role)[1];
  const isSure = await confirm(`Give ${name} the role ${role}?`, [
    `It was ${member.role}. ${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`,
    isLower ?
    "What it may do no more counts at once, everywhere; what is held of its changes stays." : ""
  ], `Make it ${role}`);
  if (!isSure) {
    control.value = member.role;
    return;
  }
  await attempt(control, async () => {
    try {
      await forced(`${view.base}/members/${part(member.device)}`, "PATCH", { role });
      note(`${name} is ${role} now`, { tone: "good" });
    } catch (error) {
      control.value = member.role;
      throw error;
    }
  });
  await view.reload();
}

/** Asks again where other boxes are not known to run a version that can follow. */
async function forced(path, method, body) {
  try { return await call(method, path, { body }); } catch (error) {
    if (error.code !== "older-version") throw error;
    const isSure = await confirm("Not wait for the others?", [error.message, error.hint],
      "Do it all the same");
    if (!isSure) throw error;
    return call(method, `${path}?force=true`, { body });
  }
}

async function removeMember(view, member, name, button) {
  const path = `${view.base}/members/${part(member.device)}`;
  await attempt(button, async () => {
    const dry = await call("DELETE", `${path}?dryRun=true`);
    const lost = dry.void.changes > 0 ?
      `${count(dry.void.changes, "change")} of it in ${count(dry.void.documents, "document")} will not count any more; they stay here and can be adopted.` :
      "What is held of its changes stays.";
    const isSure = await confirm(`Remove ${name}?`, [
      `${name} gets nothing more, and what it writes from now on has no effect. It keeps what it has.`,
      lost, `The space gets new keys, and has ${count(dry.members, "member")} then.`
    ], `Remove ${name}`);
    if (!isSure) return;
    await forced(path, "DELETE");
    note(`${name} was removed`, { tone: "good" });
  });
  await view.reload();
  await look();
}

// MARK: Invites

function invitesPanel(view) {
  const list = h("ul", { class: "cards" });
  const role = select(roles, "writer", { "aria-label": "Role of the new member", disabled: !view.isAdmin });
  const hours = select([
    ["1", "an hour"],
    ["24", "a day"],
    ["168", "a week"]
  ], "24", { "aria-label": "How long the invite can be used", disabled: !view.isAdmin });
  const load = async () => {
    const { invites } = await get(`${view.base}/invites`);
    fill(list, invites.map((invite) => inviteCard(view, invite)));
  };
  const invite = (event) => {
    event.preventDefault();
    attempt(event.submitter, async () => {
      const made = await call("POST", `${view.base}/invites`, { body: { role: role.value,
          expiresSeconds: Number(hours.value) * 3600 } });
      await Promise.all([showInvite(view, made, role.value), load()]);
    });
  };
  return {
    load,
    element: h("section", { class: "panel", "aria-labelledby": "invites-title" }, h(
      "h2", { id: "invites-title" }, "Invites"),
      view.isAdmin ?
      h("form", { class: "inline", onsubmit: invite }, h("label", { class: "stack" }, "Role", role), h(
          "label", { class: "stack" }, "Good for", hours),
        h("button", { class: "main" }, "Invite a box")) :
      h("p", { class: "muted" }, "Only admins invite."), list)
  };
}

function inviteCard(view, invite) {
  const state = invite.state === "spent" ? `used by ${nameOf(invite.spentBy)}` : invite.state;
  const revoke = async (button) => {
    if (!await confirm("Take this invite back?", [
        "Nobody can join by its token any more. Who joined by it stays a member."
      ], "Take it back")) return;
    await attempt(button, () => call("DELETE", `${view.base}/invites/${part(invite.id)}`));
    await view.reload();
  };
  return h("li", { class: "card slim" }, h("span", {}, h("strong", {}, invite.role), h(
      "span", { class: "muted" },
      ` · ${state}${invite.expires ? ` · until ${moment(invite.expires * 1000)}` : ""}`)),
    view.isAdmin && invite.state === "open" ?
    h("button", { type: "button", onclick: (event) => revoke(event.currentTarget) }, "Take back…") : null);
}

/** The token, for a clipboard and for a camera. */
async function showInvite(view, made, role) {
  const command = `replctl join ${made.token}`;
  const token = h("textarea", { readonly: true, rows: 4, class: "mono token", "aria-label": "The token",
    value: made.token, onfocus: (event) => event.target.select() });
  const copy = (text, label) => h("button", { type: "button", onclick: (event) => copyText(text, event
      .currentTarget) }, icon("copy"), label);
  const code = h("div", { class: "code" });
  drawCode(made.token).then((squares) => fill(code, codePicture(squares))).catch(complain);
  await ask(`Invite to ${view.space.name}`, [
    h("p", {},
      `One box can join by it, as ${role}. Who has the token can use it, so pass it on as you would a password. This box must be reachable then.`
      ),
    code, token, h("div", { class: "buttons start" }, copy(made.token, "Copy the token"), copy(
      command, "Copy the command")),
  ], [{ label: "Done", value: "done", tone: "main" }], { wide: true });
}

/** One path of squares, dark on light in both colour schemes: cameras read no other. */
export function codePicture({ size, rows }) {
  let path = "";
  rows.forEach((row, y) => {
    for (const run of row.matchAll(/1+/g)) path +=
      `M${run.index + 4} ${y + 4}h${run[0].length}v1h-${run[0].length}z`;
  });
  return svg("svg", { class: "qr", viewBox: `0 0 ${size + 8} ${size + 8}`,
    role: "img", "aria-label": "The token as a QR code", "shape-rendering": "crispEdges" },
    svg("rect", { width: size + 8, height: size + 8 }), svg("path", { d: path }));
}

// MARK: Keys

function keysPanel(view) {
  const list = h("ul", { class: "cards" });
  const state = h("p", { class: "muted" });
  const load = async () => {
    const { epochs, noneGoodSinceMs } = await get(`${view.base}/keys`);
    fill(state, noneGoodSinceMs ?
      `No epoch is good since ${moment(noneGoodSinceMs)}: somebody who may no more can open what is new. Renew the keys.` :
      "What is new is sealed under the current epoch.");
    fill(list, [...epochs].reverse().slice(0, 20).map((epoch) => h("li", { class: "card slim" },
      h("span", {}, h("strong", {}, `Epoch ${epoch.number}`), h("span", { class: "muted" },
        ` · by ${nameOf(epoch.author)}, ${moment(epoch.timestamp)}`)),
      h("span", {}, epoch.current ? h("span", { class: "pill good" }, "current") : null, " ",
        epoch.good ? null : h("span", { class: "pill warn" }, "not good")))));
  };
  const rotate = async (button) => {
    if (!await confirm("Renew the keys?", [
        "All members get new keys. Boxes that are away get them when they are met."
      ], "Renew the keys")) return;
    await attempt(button, () => call("POST", `${view.base}/keys`));
    await view.reload();
  };
  return {
    load,
    element: h("section", { class: "panel", "aria-labelledby": "keys-title" }, h("h2", { id: "keys-title" },
        "Keys"), state, list,
      view.isAdmin ? h("button", { type: "button", onclick: (event) => rotate(event.currentTarget) },
        "Renew the keys…") : null)
  };
}

// MARK: Void changes

/** More are counted, not drawn. */
const voidShownMax = 200;

/** One that touches no document, but acknowledged a checkpoint, has nothing to be made again. */
const isAdoptable = (line) => !line.adopted && line.cause !== "invalid" && line.documents.length > 0;

function voidPanel(view) {
  const list = h("ul", { class: "cards" });
  const state = h("p", { class: "muted", role: "status" });
  const adoptAll = h("button", { type: "button", hidden: true, onclick: () => adopt(view, adoptable,
      adoptAll) }, "Adopt all of these…");
  const mayWrite = ["writer", "admin"].includes(view.space.role) && view.space.state !== "removed";
  let adoptable = [];
  const load = async () => {
    const found = [];
    let total = 0;
    for await (const line of lines(`${view.base}/void`)) {
      total += 1;
      if (found.length < voidShownMax) found.push(line);
    }
    adoptable = found.filter(isAdoptable).map((line) => line.change);
    adoptAll.hidden = adoptable.length === 0 || !mayWrite;
    fill(state, total === 0 ? "None: every change that is held here counts." :
      `${count(total, "change")} held here without effect${total > found.length ? `; the first ${found.length} are shown` : ""}. To adopt one makes it again as a change of this box.`
      );
    fill(list, found.map((line) => h("li", { class: `card slim ${colourClass(line.author?.device)}` },
      h("span", {}, h("span", { class: "dot", "aria-hidden": "true" }), h("strong", {}, nameOf(
          line.author)),
        h("span", { class: "muted" },
          ` · ${line.cause}${line.by ? ` by ${nameOf(line.by)}` : ""} · ${moment(line.timestamp)} · ${line.documents.join(", ") || "no document"}`
          )),
      line.adopted ? h("span", { class: "pill good" }, "adopted") :
      line.adoptedElsewhere ? h("span", { class: "pill" }, "adopted elsewhere") :
      mayWrite && isAdoptable(line) ? h("button", { type: "button", onclick: (event) =>
          adopt(view, [line.change], event.currentTarget) }, "Adopt…") : null)));
  };
  return { load, element: h("section", { class: "panel", "aria-labelledby": "void-title" }, h(
    "h2", { id: "void-title" }, "Changes without effect"), state, list, adoptAll) };
}

async function adopt(view, changes, button) {
  const isSure = await confirm(`Adopt ${count(changes.length, "change")}?`, [
    "Each is made again as a change of this box and merged into what is there, on all boxes.",
    "It takes nothing that is newer, and nothing that its author had not seen."
  ], "Adopt");
  if (!isSure) return;
  await attempt(button, async () => {
    const answer = await call("POST", `${view.base}/void:adopt`, { body: { changes } });
    const skipped = answer.skipped.map((entry) => entry.why);
    note(
      `${count(answer.adopted, "change")} adopted${skipped.length ? `, ${skipped.length} skipped` : ""}`, { tone: answer
          .adopted ? "good" : "warn", hint: [...new Set(skipped)].join(", ") });
  });
  await view.reload();
}

// MARK: Leaving

function leavePanel(view) {
  const leave = async (button) => {
    const isSure = await confirm(`Leave ${view.space.name}?`, [
      `Its ${count(view.space.documents, "document")} are removed from this box, and this box is a member no more.`
    ], "Leave the space");
    if (!isSure) return;
    await attempt(button, async () => {
      try { await call("DELETE", view.base); } catch (error) {
        const { loses } = error.details ?? {};
        if (!["last-copy", "last-admin", "others-behind", "not-handed-over"].includes(error.code))
          throw error;
        const lost = loses ?
          `Lost by it: ${count(loses.documents ?? 0, "document")}, ${count(loses.changes ?? 0, "change")}.` :
          "";
        if (!await confirm("Leave although something is lost?", [error.message, error.hint, lost],
            "Leave all the same")) return;
        await call("DELETE", view.base + query({ force: "true" }));
      }
      await look();
      location.hash = "#/spaces";
      note(`left ${view.space.name}`, { tone: "good" });
    });
  };
  return {
    element: h("section", { class: "panel", "aria-labelledby": "leave-title" }, h(
      "h2", { id: "leave-title" }, "Leave"),
      h("p", { class: "muted" },
        "This box stops being a member. Refused as long as something would be lost by it."),
      h("button", { type: "button", class: "danger", onclick: (event) => leave(event.currentTarget) },
        "Leave the space…"))
  };
}
