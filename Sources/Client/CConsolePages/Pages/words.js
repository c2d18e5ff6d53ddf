// Numbers, times and states as people read them.

export function count(number, word, plural = `${word}s`) {
  return `${grouped(number)} ${Number(number) === 1 ? word : plural}`;
}

const groups = new Intl.NumberFormat("en");
export const grouped = (number) => groups.format(number);

export function bytes(number) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let value = number;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024;
    unit += 1; }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h`;
  return `${Math.floor(whole / 86400)} d`;
}

export function ago(milliseconds, now = Date.now()) {
  const passed = (now - milliseconds) / 1000;
  return passed < 2 ? "just now" : `${span(passed)} ago`;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { year: "numeric", month: "short", day: "numeric" });
export function moment(milliseconds) {
  const date = new Date(Number(milliseconds));
  const today = day.format(date) === day.format(new Date());
  return today ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`;
}

/** The first 7 letters of a device, as in the tables of replctl. */
export const shortID = (device) => (device ?? "").slice(0, 7);
export const nameOf = (device) => device?.name || shortID(device?.device) || "an unknown device";

/** A path as replctl writes it: items.0.qty. */
export function dotted(path) {
  return path.map((step) =>
    typeof step === "object" ? `@${step.id}` :
    typeof step === "number" ? String(step) :
    step === "" ? '""' : step.replace(/[\\.]/g, "\\$&").replace(/^(\d+)$/, "\\$1")).join(".");
}

/** Whether all is in sync, in one line, as `replctl status` says it; with a tone for its colour. */
export function syncText(sync, { spaces = 1, removed = [] } = {}) {
  if (!sync) return { tone: "quiet", text: "" };
  if (spaces === 0) return { tone: "quiet", text: "in no space yet" };
  if (removed.length === spaces) return { tone: "bad", text: `removed from ${removed.join(", ")}` };
  const others = Math.max(0, sync.members.active - 1);
  switch (sync.state) {
    case "alone":
      return {
        tone: "warn", text: others === 1 ? "alone: the other member is not linked" :
          `alone: none of ${others} other members is linked`
      };
    case "catching-up": {
      const left = sync.secondsLeft !== null ? `, about ${span(sync.secondsLeft)} left` : "";
      return {
        tone: "warn",
        text: sync.behindChanges > 0 ?
          `catching up: ${count(sync.behindChanges, "change")} behind, ${sync.percent} %${left}` :
          `the others catch up: ${sync.percent} %`
      };
    }
    case "waiting":
      return { tone: "warn", text: "waiting: changes of this box are held by nobody else yet" };
    default:
      return {
        tone: "good", text: others === 0 ? "up to date: no other member" :
          `up to date with ${sync.members.linked} of ${others}`
      };
  }
}

export const roles = [
  ["relay", "relay: passes changes on, reads nothing"],
  ["reader", "reader: reads"],
  ["writer", "writer: reads and writes"],
  ["admin", "admin: also decides who belongs"],
];

/** Colours of the devices that are known, 0 to 7. */
const colours = new Map();

/** Gives each device a colour: its own by its id, or the next one that is free, so that few never share one. */
export function colour(devices) {
  colours.clear();
  for (const device of [...new Set(devices)].sort()) {
    let chosen = ownColour(device);
    for (let step = 0; step < 8 && [...colours.values()].includes(chosen); step += 1) chosen = (chosen +
      1) % 8;
    colours.set(device, chosen);
  }
}

function ownColour(device) {
  let sum = 0;
  for (const letter of device) sum = (sum * 33 ^ letter.charCodeAt(0)) >>> 0;
  return sum % 8;
}

/** The class that has the colour of a device. */
export const colourClass = (device) => `author-${colours.get(device) ?? ownColour(device ?? "")}`;

/** Keys in the daemon's order: UTF-8 bytes, which is the order of code points and not that of JavaScript. */
export function compareKeys(left, right) {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (a === b) continue;
    // A surrogate stands for a code point above all that stand for themselves.
    const [aHigh, bHigh] = [a >= 0xD800 && a <= 0xDFFF, b >= 0xD800 && b <= 0xDFFF];
    return aHigh === bHigh ? a - b : aHigh ? 1 : -1;
  }
  return left.length - right.length;
}
