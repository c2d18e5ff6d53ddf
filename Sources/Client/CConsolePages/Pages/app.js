// Where the page begins: the address behind # says what is shown, the navigation follows the spaces, and the
// top says at all times whether this box is in sync.

import { complain } from "./dialogs.js";
import { fill, h, refill, say } from "./dom.js";
import { changesView } from "./changes.js";
import { conflictsView } from "./conflicts.js";
import { documentsView } from "./documents.js";
import { closeFeed, feedOf } from "./feed.js";
import { membersView } from "./members.js";
import { metricsView } from "./metrics.js";
import { follow, look, node, spaceOf } from "./node.js";
import { overviewView } from "./overview.js";
import { part } from "./api.js";
import { readSpace, spacesView } from "./spaces.js";
import { syncText } from "./words.js";

const main = document.getElementById("main");
const nav = document.getElementById("nav");
const tabs = [
  ["documents", "Documents"],
  ["changes", "Changes"],
  ["conflicts", "Conflicts"],
  ["members", "Members"]
];

/** What is shown: {path, element, close}; of a space also {space, tab, view, ends}. */
let shown = null;

function leave() {
  for (const end of shown?.ends ?? []) end();
  shown?.view?.close();
  shown = null;
}

async function route() {
  const words = location.hash.replace(/^#\//, "").split("/").map((
  word) => { try { return decodeURIComponent(word); } catch { return word; } });
  if (words[0] === "space" && words[1]) return showSpace(words[1], words[2] || "documents", words[3] ??
    null);
  leave();
  closeFeed();
  const view = { "": overviewView, spaces: spacesView, metrics: metricsView } [words[0]]?.() ?? lost();
  shown = { view, path: words[0] };
  return settle(view.element, view.element.querySelector("h1")?.textContent);
}

const lost = () => ({ close() {}, element: h("div", {}, h("h1", {}, "There is no such page"), h("p", {}, h(
    "a", { href: "#/" }, "Go to the overview"))) });

async function showSpace(id, tab, key) {
  // Another document of the list that is there already.
  if (shown?.space?.id === id && shown.tab === tab && tab === "documents") {
    shown.view.open(key);
    return title(key ?? shown.space.name);
  }
  let space;
  try { space = spaceOf(id) ?? await readSpace(id); } catch (error) {
    leave();
    closeFeed();
    complain(error);
    return settle(lost().element, "not found");
  }
  leave();
  const views = { documents: () => documentsView(space, key), changes: () => changesView(space),
    conflicts: () => conflictsView(space), members: () => membersView(space) };
  if (!views[tab]) return settle(lost().element, "not found");
  const view = views[tab]();
  const live = h("span", { class: "live", role: "status" });
  const state = h("span", { class: "pill" });
  const element = h("div", { class: "space" },
    h("div", { class: "space-head" }, h("h1", {}, space.name), state, live),
    h("nav", { class: "tabs", "aria-label": `Space ${space.name}` }, tabs.map(([name, label]) => h(
      "a", { href: `#/space/${part(id)}/${name}`, "aria-current": name === tab ? "page" : null },
      label))),
    space.state === "removed" ? h("p", { class: "problem" },
      "This box was removed from the space. What is here can be read and exported; to write, leave it and join again with an invite."
      ) : null,
    view.element);
  const feed = feedOf(id);
  const ends = [
    feed.listen({
      line: (line) => view.line(line),
      resync: () => view.resync?.(),
      state: (name) => {
        say(live, { live: "live", opening: "", waiting: "not live: asking again" } [name]);
        live.classList.toggle("on", name === "live");
        if (name === "live") view.back?.();
      }
    }),
    follow(() => {
      const now = spaceOf(id);
      if (!now) return;
      const { tone, text } = now.state === "removed" ? { tone: "bad", text: "removed" } : syncText(now
        .sync);
      view.counted?.(now.documents);
      say(state, text);
      state.className = `pill ${tone}`;
    }),
  ];
  shown = { space, tab, view, ends, path: "space" };
  return settle(element, key ?? space.name);
}

function settle(element, name) {
  fill(main, element);
  title(name);
  window.scrollTo(0, 0);
  showNav();
}

function title(name) { document.title = `${name} · ${node.status?.name ?? "repld"}`; }

let navText = "";

function showNav() {
  const spaces = node.status?.spaces ?? [];
  const links = [
    ["#/", "Overview", shown?.path === ""],
    ["#/spaces", "Spaces", shown?.path === "spaces"],
    ...spaces.map((space) => [`#/space/${part(space.id)}/documents`, space.name, shown?.space?.id ===
      space.id, syncText(space.sync).tone
    ]),
    ["#/metrics", "Metrics", shown?.path === "metrics"]
  ];
  const text = JSON.stringify(links);
  if (text === navText) return;
  navText = text;
  fill(nav, h("ul", {}, links.map(([href, label, isHere, tone]) => h("li", { class: tone ? "of-space" :
      null },
    h("a", { href, "aria-current": isHere ? "page" : null }, tone ? h(
    "span", { class: `light ${tone}`, "aria-hidden": "true" }) : null, label)))));
}

follow(() => {
  const trouble = document.getElementById("trouble");
  trouble.hidden = node.error === null;
  const words = [node.error?.message, node.error?.hint];
  refill(trouble, words, () => node.error ? [h("strong", {}, words[0]), words[1] ? ` · ${words[1]}` :
    ""] : []);
  const { status } = node;
  if (!status) return;
  say(document.getElementById("who"), status.name);
  const removed = status.spaces.filter((space) => space.state === "removed").map((space) => space.name);
  const { tone, text } = syncText(status.sync, { spaces: status.spaces.length, removed });
  const sync = document.getElementById("sync");
  const alarms = status.alarms.length ?
    `${status.alarms.length} alarm${status.alarms.length === 1 ? "" : "s"} · ` : "";
  say(sync, alarms + text);
  sync.className = `sync ${status.alarms.length ? "bad" : tone}`;
  showNav();
});

document.getElementById("skip").addEventListener("click", (event) => {
  // The address behind # is ours.
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", () => {
  route().catch(complain);
});
window.addEventListener("unhandledrejection", (event) => complain(event.reason));

await look();
await route();
