// The node's counters as small plots of the last five minutes, and all of them as numbers.

import { fill, h } from "./dom.js";
import { follow, node, rate } from "./node.js";
import { plot } from "./plot.js";
import { bytes, grouped } from "./words.js";

const perSecond = (name) => (before, now) => rate(name, before, now);
const level = (name) => (_, now) => now.values.get(name) ?? null;
const whole = (value) => grouped(Math.round(value * 10) / 10);

export function metricsView() {
  const plots = [
    plot("Transactions", [{ name: "a second", of: perSecond("repl_transactions_total") }], whole),
    plot("Changes of others", [{ name: "a second", of: perSecond("repl_changes_committed_total") }],
      whole),
    plot("Commits", [{ name: "a second", of: perSecond("repl_commits_total") }], whole),
    plot("Changes on links", [{ name: "in a second", of: perSecond("repl_segment_bytes_received_total") },
      { name: "out", of: perSecond("repl_segment_bytes_sent_total") }
    ], bytes),
    plot("Behind", [{ name: "changes", of: level("repl_space_behind_changes") }], whole),
    plot("Links", [{ name: "open", of: level("repl_links") }], whole),
    plot("Documents", [{ name: "in all spaces", of: level("repl_space_documents") }], whole),
    plot("Memory", [{ name: "resident", of: level("process_resident_memory_bytes") }], bytes),
    plot("Processor", [{
      name: "% of one",
      of: (before, now) => {
        const share = rate("process_cpu_seconds_total", before, now);
        return share === null ? null : share * 100;
      }
    }], whole),
  ];
  const filter = h("input", { type: "search",
  placeholder: "part of a name", "aria-label": "Show counters whose name has this in it", oninput: () =>
      update() });
  const table = h("tbody");
  const all = h("details", { class: "panel" }, h("summary", {}, "All counters"), filter,
    h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Name"), h("th", { scope: "col",
      class: "number" }, "Value"))), table));
  all.addEventListener("toggle", () => update());
  const update = () => {
    if (node.points.length === 0) return;
    for (const each of plots) each.update(node.points);
    if (!all.open) return;
    fill(table, [...node.points.at(-1).values].filter(([name]) => name.includes(filter.value.trim()))
      .map(([name, value]) => h("tr", {}, h("th", { scope: "row", class: "mono" }, name), h(
      "td", { class: "number" }, grouped(value)))));
  };
  return {
    element: h("div", {}, h("h1", {}, "Metrics"), h("p", { class: "muted" },
        "Of the last five minutes, as long as this page is open. Prometheus reads the same from GET /v1/metrics."
        ),
      h("div", { class: "plots" }, plots.map((each) => each.element)), all),
    close: follow(update)
  };
}
