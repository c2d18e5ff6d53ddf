// Laws of the page's own arithmetic, in the browser that runs it: texts that are merged, and the list of a whole space.
// An expression that gives a promise of an array of sentences, empty where all is well. Seeded: each run is the same.
(async () => {
  const { apply, difference, merge } = await import("./merge.js");
  const { WholeSpace } = await import("./listing.js");
  const problems = [];
  const must = (isTrue, what) => { if (!isTrue && problems.length < 20) problems.push(what); };
  let seed = 1;
  const draw = (end) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return (seed >> 8) % end;
  };

  // MARK: Merging

  const letters = ["a", "b", "😀", "\n", "é"];
  const text = (end) => Array.from({ length: draw(end) }, () => letters[draw(letters.length)]).join("");
  const edited = (before) => {
    const points = [...before];
    points.splice(draw(points.length + 1), draw(4), ...text(4));
    return points.join("");
  };
  for (let round = 0; round < 20_000; round += 1) {
    const base = text(12);
    const [ours, theirs] = [edited(base), edited(base)];
    const edit = difference(base, ours);
    must(edit === null ? base === ours : apply(base, edit) === ours, `difference of ${JSON.stringify([base, ours])}`);
    must(merge(base, ours, base) === ours && merge(base, base, theirs) === theirs, `one side of ${JSON.stringify([base, ours])}`);
    must(merge(base, ours, theirs).isWellFormed(), `a pair is cut in ${JSON.stringify([base, ours, theirs])}`);
  }
  must(merge("one two", "one two three", "1 two") === "1 two three", "edits at two places");
  must(merge("", "ours", "theirs") === "theirsours", "ours stands behind theirs");
  must(merge("abc", "abXc", "c") === "Xc", "what is put into what they deleted stays");
  must(merge("abcd", "d", "aYbcd") === "Yd", "what they put into what we delete stays");

  // MARK: The list

  const space = "a-space-of-this-test";
  let keys = [];
  const cursors = new Map();
  const realFetch = window.fetch;
  window.fetch = async (path, options) => {
    if (!String(path).includes(space)) return realFetch(path, options);
    const query = new URL(path, location).searchParams;
    const isReverse = query.get("reverse") === "true";
    const after = query.has("cursor") ? cursors.get(query.get("cursor")) : query.get("after");
    const all = [...keys].sort();
    if (isReverse) all.reverse();
    let start = after === null ? 0 : all.findIndex((key) => isReverse ? key < after : key > after);
    if (start < 0) start = all.length;
    const page = all.slice(start, start + Number(query.get("limit")));
    const next = start + page.length < all.length ? `c${cursors.size}` : null;
    if (next) cursors.set(next, page.at(-1));
    return new Response(JSON.stringify({ documents: page.map((key) => ({ key })), next }));
  };
  const name = (index) => `k${String(index).padStart(6, "0")}`;
  try {
    for (const count of [0, 1, 5, 99, 100, 101, 250, 1234]) {
      // What status counted may be old.
      for (const total of [count, Math.max(0, count - 7), count + 9, 0]) {
        const what = `${count} documents, ${total} counted`;
        keys = Array.from({ length: count }, (_, index) => name(index * 2));
        const list = new WholeSpace(space, total, () => {}, 100);
        for (const place of [0, count - 1, Math.floor(count / 2), 3]) await list.want(Math.max(0, place - 5), place + 5);
        for (let index = 0; index < list.count; index += 50) await list.want(index, index + 60);
        await list.want(list.count - 1, list.count);
        must(list.isWhole && list.count === count, `${what}: ${list.count} rows`);
        for (let index = 0; index < count; index += 1) must(list.key(index) === name(index * 2), `${what}: row ${index} is ${list.key(index)}`);
        for (let round = 0; round < 200; round += 1) {
          const key = name(draw(count * 2 + 20));
          const isThere = draw(2) === 0;
          keys = keys.filter((other) => other !== key);
          if (isThere) keys.push(key);
          list.apply(key, isThere);
        }
        const sorted = [...keys].sort();
        must(list.count === sorted.length, `${what}, then changed: ${list.count} rows of ${sorted.length}`);
        sorted.forEach((key, index) => must(list.key(index) === key, `${what}, then changed: row ${index} is ${list.key(index)}`));
      }
    }
  } finally { window.fetch = realFetch; }
  return problems;
})()
