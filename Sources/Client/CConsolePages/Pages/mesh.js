// The mesh as this box sees it: itself in the middle, a line to each peer. A line that carries bytes moves,
// the faster the more; one that is not linked is dashed. All of it stands in words below the picture too.

import { fill, svg } from "./dom.js";
import { bytes, colourClass, count } from "./words.js";

/** In a narrow window everything stands closer, and is as large. */
const widthOf = (element) => element.clientWidth > 0 && element.clientWidth < 480 ? 400 : 640;
/** More would hide each other; the list below has all. */
const shownMax = 24;

export const behind = (peer) => peer.spaces.reduce((sum, space) => sum + (space.behindChanges ?? 0), 0);
export const ahead = (peer) => peer.spaces.reduce((sum, space) => sum + (space.aheadChanges ?? 0), 0);
export const isLinked = (peer) => peer.state === "connected";

/** What a line says: how far they are apart, in both directions. */
export function lag(peer) {
  const [theirs, ours] = [ahead(peer), behind(peer)];
  if (theirs === 0 && ours === 0) return "level";
  return [theirs ? `it lacks ${theirs}` : "", ours ? `we lack ${ours}` : ""].filter(Boolean).join(", ");
}

export function draw(element, status, peers, rates) {
  const width = widthOf(element);
  const shown = peers.slice(0, shownMax);
  const linked = shown.filter(isLinked).length;
  element.setAttribute("aria-label",
    `The mesh: ${linked} of ${count(peers.length, "peer")} linked to ${status.name}. ` +
    shown.map((peer) => `${peer.name || "a peer"}: ${isLinked(peer) ? lag(peer) : "not linked"}`).join(
      "; "));
  // One or two stand beside this box, more around it.
  const height = shown.length < 3 ? 150 : 340;
  element.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const centre = { x: shown.length === 1 ? width * 0.28 : width / 2, y: height / 2 - 8 };
  const places = shown.map((_, index) => {
    if (shown.length === 1) return { x: width * 0.72, y: centre.y };
    const angle = Math.PI * 2 * index / shown.length - (shown.length === 2 ? 0 : Math.PI / 2);
    return { x: centre.x + Math.cos(angle) * (width / 2 - 90), y: centre.y + Math.sin(angle) * (height /
        2 - 50) };
  });
  fill(element,
    shown.map((peer, index) => edge(centre, places[index], peer, rates.get(peer.device), shown.length >
      8)),
    shown.map((peer, index) => point(places[index], peer.device, peer.name || peer.device.slice(0, 7),
      isLinked(peer), shown.length > 12)),
    point(centre, status.device, status.name, true, false, true));
}

function edge(from, to, peer, rate, isCrowded) {
  const linked = isLinked(peer);
  const flow = linked ? (rate?.sent ?? 0) + (rate?.received ?? 0) : 0;
  const tone = !linked ? "off" : behind(peer) + ahead(peer) > 0 ? "lagging" : "level";
  const middle = { x: from.x + (to.x - from.x) * 0.52, y: from.y + (to.y - from.y) * 0.52 };
  const words = linked ? [peer.rttMs === null ? "" : `${peer.rttMs} ms`, tone === "lagging" ? lag(peer) :
    "", flow >= 1 ? `${bytes(flow)}/s` : ""
  ].filter(Boolean) : ["not linked"];
  return svg("g", { class: `edge ${tone}` },
    svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }),
    // A class of speed, not a number: the page's policy has no styles in elements.
    flow > 200 ? svg(
    "line", { class: `flow ${flow > 100_000 ? "fast" : flow > 5_000 ? "steady" : "slow"}`, x1: from.x,
      y1: from.y, x2: to.x, y2: to.y }) : null,
    isCrowded ? null : svg("text", { x: middle.x, y: middle.y - 8 * words.length +
        2, "text-anchor": "middle" },
      words.map((word, index) => svg("tspan", { x: middle.x, dy: index === 0 ? 0 : 15 }, word))));
}

function point(place, device, name, isOn, isSmall, isSelf) {
  const radius = isSmall ? 12 : isSelf ? 30 : 22;
  const short = name.length > 16 ? `${name.slice(0, 15)}…` : name;
  return svg("g", { class: `point ${isOn ? colourClass(device) : "away"}${isSelf ? " self" : ""}` },
    svg("circle", { cx: place.x, cy: place.y, r: radius }),
    svg("text", { class: "letter", x: place.x, y: place.y + 5, "text-anchor": "middle" }, [...name][0] ??
      "?"),
    svg("text", { class: "label", x: place.x, y: place.y + radius + 16, "text-anchor": "middle" },
      isSelf ? `${short} (this box)` : short));
}
