// A small plot of one or two series over the last minutes, with its numbers in words for who does not see it.

import { fill, h, svg } from "./dom.js";

const [width, height] = [280, 72];

/** `series`: functions from a point and the one before to a number or null; `write` says a number. */
export function plot(title, series, write) {
  const picture = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img",
    preserveAspectRatio: "none" });
  const now = h("p", { class: "now" });
  const range = h("p", { class: "muted small" });
  const element = h("section", { class: "panel plot-panel", "aria-label": title }, h("h2", {}, title), now,
    picture, range);
  return {
    element,
    update(points) {
      const values = series.map(({ of }) => points.map((point, index) => of(points[index - 1], point)));
      const known = values.flat().filter((value) => value !== null);
      const most = Math.max(...known, 0);
      const top = most > 0 ? most * 1.1 : 1;
      const step = width / Math.max(1, points.length - 1);
      const place = (value, index) =>
        `${(index * step).toFixed(1)} ${(height - 2 - value / top * (height - 6)).toFixed(1)}`;
      fill(picture, values.flatMap((line, index) => {
        let path = "";
        line.forEach((value, at) => { if (value !== null) path +=
            `${path === "" || line[at - 1] === null ? "M" : "L"}${place(value, at)}`; });
        return [svg("path", { class: `line line-${index}`, d: path })];
      }));
      const last = series.map(({ name }, index) => {
        const value = values[index].at(-1) ?? null;
        return [name, value === null ? "-" : write(value)];
      });
      fill(now, last.map(([name, value], index) => h("span", { class: `line-${index}` }, h(
        "span", { class: "key", "aria-hidden": "true" }), h("strong", {}, value), name ? ` ${name}` :
        "")));
      fill(range, known.length ?
        `most ${write(most)} in the last ${Math.max(1, Math.round((points.at(-1).at - points[0].at) / 60_000))} min` :
        "two looks are needed for a rate");
      picture.setAttribute("aria-label",
        `${title}: ${last.map(([name, value]) => `${value} ${name}`).join(", ")}, most ${write(most)}`);
    }
  };
}
