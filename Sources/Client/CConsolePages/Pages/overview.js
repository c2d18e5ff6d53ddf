// The first page: in sync or why not, what needs attention and what to do, the mesh, and the spaces.

import { call, part } from "./api.js";
import { fill, h, refill, say, svg } from "./dom.js";
import { attempt, note } from "./dialogs.js";
import { draw, isLinked, lag } from "./mesh.js";
import { follow, node, spaceOf } from "./node.js";
import { ago, bytes, count, grouped, moment, shortID, syncText } from "./words.js";

export function overviewView() {
  const alarms = h("section", { class: "alarms", "aria-label": "Alarms" });
  const picture = svg("svg", { class: "mesh", role: "img" });
  const peers = h("ul", { class: "cards peers" });
  const spaces = h("ul", { class: "cards spaces" });
  const facts = h("dl", { class: "facts" });
  const state = h("p", { class: "headline" });
  const why = h("ul", { class: "why" });
  const none = h("p", { class: "muted" });
  const element = h("div", {},
    h("h1", {}, "Overview"), h("section", { class: "panel sync-panel", "aria-label": "In sync" }, state,
      why), alarms,
    h("section", { class: "panel", "aria-labelledby": "mesh-title" }, h("h2", { id: "mesh-title" },
        "Mesh"), picture, none,
      h("p", { class: "muted small", id: "mesh-note" },
        "Links of this box; the others may be linked among themselves."), peers),
    h("section", { class: "panel", "aria-labelledby": "spaces-title" }, h("h2", { id: "spaces-title" },
        "Spaces"), spaces,
      h("p", {}, h("a", { class: "button", href: "#/spaces" }, "New space, or join one"))),
    h("section", { class: "panel", "aria-labelledby": "box-title" }, h("h2", { id: "box-title" },
      "This box"), facts));
  const rows = new Map();
  const update = () => {
    const { status } = node;
    if (!status) return;
    const removed = status.spaces.filter((space) => space.state === "removed").map((space) => space.name);
    const { tone, text } = syncText(status.sync, { spaces: status.spaces.length, removed });
    state.className = `headline ${tone}`;
    say(state, text.charAt(0).toUpperCase() + text.slice(1));
    const reasons = node.peers.filter((peer) => !isLinked(peer)).map((peer) => {
      const name = peer.name || shortID(peer.device);
      if (!peer.whyNot) return `${name} is not linked`;
      return peer.whyNot.startsWith("not linked") ? `${name} is ${peer.whyNot}` : `${name} is not linked: ${peer.whyNot}`;
    });
    refill(why, reasons, () => reasons.map((reason) => h("li", {}, reason)));
    showAlarms(alarms, status);
    picture.toggleAttribute("hidden", node.peers.length === 0);
    element.querySelector("#mesh-note").hidden = node.peers.length === 0;
    fill(none, node.peers.length ? "" :
      "No peers yet: a peer is a device that shares a space with this box.");
    draw(picture, status, node.peers, node.rates);
    showPeers(peers, rows, node);
    refill(spaces, status.spaces, () => status.spaces.map(spaceCard));
    fill(facts, factsOf(status));
  };
  return { element, close: follow(update) };
}

function showAlarms(element, status) {
  refill(element, status.alarms, () => status.alarms.map((alarm) => h("div", { class: "alarm" },
    h("h2", {}, h("span", { class: "mono" }, alarm.code)),
    h("p", {}, alarm.message), alarm.hint ? h("p", { class: "todo" }, h("strong", {}, "What to do: "),
      alarm.hint) : null,
    h("p", { class: "muted small" }, [alarm.since ? `since ${moment(alarm.since)}` : "", alarm.name ?
      `device ${alarm.name}` : "",
      alarm.space ? `space ${spaceOf(alarm.space)?.name ?? alarm.space}` : ""
    ].filter(Boolean).join(" · ")))));
}

function showPeers(list, rows, { peers, rates }) {
  for (const [device, row] of rows) {
    if (!peers.some((peer) => peer.device === device)) { row.element.remove();
      rows.delete(device); }
  }
  for (const peer of peers) {
    if (!rows.has(peer.device)) {
      rows.set(peer.device, peerRow(peer));
      list.append(rows.get(peer.device).element);
    }
    rows.get(peer.device).update(peer, rates.get(peer.device));
  }
}

function peerRow(peer) {
  const name = h("h3", {});
  const state = h("span", { class: "pill" });
  const words = h("p", { class: "muted" });
  const detail = h("p", { class: "muted small" });
  const ping = h("button", {
    type: "button",
    class: "plain-text",
    onclick: () => attempt(ping, async () => {
      const answer = await call("POST", `peers/${part(peer.device)}:ping`);
      note(
    `${peer.name} answered from ${answer.address} in ${answer.rttMs} ms`, { tone: "good" });
    })
  }, "Ping");
  const element = h("li", { class: "card" }, h("div", { class: "row-head" }, name, state, ping), words,
    detail);
  return {
    element,
    update(now, rate) {
      const linked = isLinked(now);
      say(name, now.name || shortID(now.device));
      say(state, linked ? lag(now) : now.state);
      state.className = `pill ${linked ? (lag(now) === "level" ? "good" : "warn") : "bad"}`;
      ping.hidden = !linked;
      ping.setAttribute("aria-label", `Ping ${now.name || shortID(now.device)}`);
      say(words, linked ?
        `linked for ${ago(now.since).replace(" ago", "")} · ${now.rttMs ?? "-"} ms · in ${rate?.received == null ? "-" : `${bytes(rate.received)}/s`} · out ${rate?.sent == null ? "-" : `${bytes(rate.sent)}/s`}` :
        now.whyNot ?? "why is not known yet");
      say(detail, [now.addresses?.[0], now.lastSeenMs && !linked ? `seen ${ago(now.lastSeenMs)}` : "",
        now.spaces.map((space) => spaceOf(space.space)?.name).filter(Boolean).join(", ")
      ].filter(Boolean).join(" · "));
    }
  };
}

export function spaceCard(space) {
  const isRemoved = space.state === "removed";
  const { tone, text } = isRemoved ? { tone: "bad", text: "removed: this box is no member any more" } :
    syncText(space.sync);
  return h("li", { class: "card" }, h("div", { class: "row-head" },
      h("h3", {}, h("a", { href: `#/space/${part(space.id)}/documents` }, space.name)), h(
      "span", { class: `pill ${tone}` }, text)),
    h("p", { class: "muted" },
      `${count(space.documents, "document")} · ${count(space.members, "member")} · this box is ${space.role}`
      ));
}

function factsOf(status) {
  const offset = status.clock?.offsetMs;
  const discovery = status.discovery;
  return [
    ["Name", status.name],
    ["Device", h("span", { class: "mono wrap" }, status.device)],
    ["Version", status.version],
    ["Listens on", status.listening.join(", ") || "nothing"],
    ["Clock", offset === null || offset === undefined ? "no peer to compare with" :
      `${grouped(offset)} ms off the peers' at most`
    ],
    ["Disk", status.disk ?
      `${bytes(status.disk.freeBytes)} free; writes stop below ${bytes(status.disk.floorBytes)}` : "-"
    ],
    ["Discovery", discovery?.listening ?
      `on, ${count(discovery.heard, "beacon")} heard, ${discovery.sent} sent` : (discovery?.problems ??
      []).join("; ") || "off"
    ],
  ].map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
}
