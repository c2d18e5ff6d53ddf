// What the node says of itself, asked for every two seconds while the page is seen: status, peers, metrics.
// Pages listen; rates are the differences between two answers.

import { get, text } from "./api.js";
import { colour } from "./words.js";

const everyMilliseconds = 2_000;
/** Five minutes of plots. */
const pointsMax = 150;

export const node = {
  status: null,
  peers: [],
  error: null,
  /** A point a look: {at, values} with the counters by name. */
  points: [],
  /** Bytes a second of each device's link. */
  rates: new Map(),
};

const listeners = new Set();
/** Calls now, and after each look; gives the function that ends it. */
export function follow(listener) {
  listeners.add(listener);
  listener();
  return () => listeners.delete(listener);
}

/** Values of the Prometheus text by name; of a name with labels their sum. */
export function counters(metrics) {
  const values = new Map();
  for (const line of metrics.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const end = line.lastIndexOf(" ");
    const name = line.slice(0, end).replace(/\{.*$/, "");
    values.set(name, (values.get(name) ?? 0) + Number(line.slice(end + 1)));
  }
  return values;
}

/** A second's share of a counter between two points; null where it is not known, as after a restart. */
export function rate(name, before, now) {
  const [from, to] = [before?.values.get(name), now?.values.get(name)];
  if (from === undefined || to === undefined || to < from || now.at <= before.at) return null;
  return (to - from) / ((now.at - before.at) / 1000);
}

let lastPeers = null;

function measureLinks(peers, at) {
  for (const peer of peers) {
    const before = lastPeers?.byDevice.get(peer.device);
    const seconds = lastPeers ? (at - lastPeers.at) / 1000 : 0;
    const share = (name) => before && seconds > 0 && peer[name] >= before[name] ?
      (peer[name] - before[name]) / seconds : null;
    node.rates.set(peer.device, { received: share("bytesReceived"), sent: share("bytesSent") });
  }
  lastPeers = { at, byDevice: new Map(peers.map((peer) => [peer.device, peer])) };
}

let timer = null;
let isLooking = false;
/** Looks at once; for whoever just changed something. */
export async function look() {
  if (isLooking) return;
  isLooking = true;
  clearTimeout(timer);
  try {
    const [status, peers, metrics] = await Promise.all([get("status"), get("peers"), text("metrics")]);
    const at = performance.now();
    measureLinks(peers.peers, at);
    node.points.push({ at, values: counters(metrics) });
    if (node.points.length > pointsMax) node.points.shift();
    colour([status.device, ...peers.peers.map((peer) => peer.device)]);
    Object.assign(node, { status, peers: peers.peers, error: null });
  } catch (error) {
    node.error = error;
  }
  isLooking = false;
  for (const listener of listeners) listener();
  if (!document.hidden) timer = setTimeout(look, everyMilliseconds);
}

document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });

/** The space of an id, as status has it. */
export const spaceOf = (id) => node.status?.spaces.find((space) => space.id === id) ?? null;
