// Where the rows of a list come from. A whole space in the order of keys can be jumped about in: pages of
// keys are read from both ends as far as somebody looks, and what is far from sight is forgotten and read
// again. A listing with a filter or an order of its own is only gone on with, a page at a time.

import { get, part, query } from "./api.js";
import { compareKeys } from "./words.js";

const keysAPage = 1_000;
const pagesKept = 150;

/** All documents by key. `total` is what status says, and is put right by what is read. */
export class WholeSpace {
  constructor(space, total, changed, pageSize = keysAPage) {
    Object.assign(this, { space, total, changed, pageSize });
    /** From the first key on, and from the last one backwards: {from, keys|null, count, usedAt}. */
    this.head = [];
    this.tail = [];
    this.headCount = 0;
    this.tailCount = 0;
    this.headNext = { after: null, cursor: null };
    this.tailNext = { after: null, cursor: null };
    this.isWhole = false;
    this.wanted = null;
    this.uses = 0;
  }

  get count() { return this.isWhole ? this.headCount + this.tailCount : Math.max(this.total, this
      .headCount + this.tailCount + 1); }
  /** The key of a row; null while it is not read. */
  key(index) {
    const place = this.place(index);
    return place?.page.keys?.[place.offset] ?? null;
  }

  place(index) {
    if (index < this.headCount) return this.find(this.head, index);
    const back = this.count - 1 - index;
    if (back < 0 || back >= this.tailCount) return null;
    return this.find(this.tail, back);
  }

  find(pages, index) {
    let start = 0;
    for (const page of pages) {
      if (index < start + page.count) {
        page.usedAt = this.uses += 1;
        return { page, offset: index - start };
      }
      start += page.count;
    }
    return null;
  }

  /** Sees to it that these rows are read; the last call counts. */
  async want(first, last) {
    this.wanted = [first, last];
    if (this.isReading) return;
    this.isReading = true;
    try {
      for (let step = this.missing(); step; step = this.missing()) {
        await step();
        this.changed();
      }
    } finally { this.isReading = false; }
  }

  missing() {
    const [first, last] = [Math.max(0, this.wanted[0]), Math.min(this.wanted[1], this.count - 1)];
    for (const index of first > last ? [] : [first, last]) {
      const place = this.place(index);
      if (place?.page.keys) continue;
      if (place) return () => this.readAgain(place.page);
      if (this.isWhole) continue;
      return index - this.headCount <= this.count - this.tailCount - index ?
        () => this.read(false) : () => this.read(true);
    }
    return this.headCount === 0 && !this.isWhole ? () => this.read(false) : null;
  }

  /** The next page from the start or, `reverse`, from the end. A cursor goes on in one committed state. */
  async read(reverse) {
    const next = reverse ? this.tailNext : this.headNext;
    const page = await this.ask(next, reverse);
    let keys = page.documents.map((document) => document.key);
    const from = next.after;
    next.cursor = page.next;
    let isEnd = page.next === null;
    // The two ends have met where one reads what the other has.
    const other = reverse ? this.headNext.after : this.tailNext.after;
    if (other !== null) {
      const unread = keys.filter((key) => reverse ? compareKeys(key, other) > 0 : compareKeys(key,
        other) < 0);
      isEnd ||= unread.length < keys.length;
      keys = unread;
    }
    next.after = keys.at(-1) ?? from;
    const pages = reverse ? this.tail : this.head;
    if (keys.length) pages.push({ from, reverse, keys, count: keys.length, usedAt: this.uses });
    if (reverse) this.tailCount += keys.length;
    else this.headCount += keys.length;
    if (isEnd) this.isWhole = true;
    this.forget();
  }

  async ask(next, reverse) {
    const path = `spaces/${part(this.space)}/documents`;
    const parameters = { limit: this.pageSize, reverse: reverse ? "true" : null };
    if (next.cursor !== null) {
      try { return await get(path + query({ ...parameters, cursor: next.cursor })); } catch (error) {
        if (error.code !== "cursor-expired") throw error;
      }
    }
    return get(path + query({ ...parameters, after: next.after }));
  }

  async readAgain(page) {
    const answer = await get(
      `spaces/${part(this.space)}/documents${query({
      after: page.from, limit: Math.min(1000, Math.max(1, page.count)), reverse: page.reverse ? "true" : null })}`);
    const keys = answer.documents.map((document) => document.key);
    this.recount(page, keys.length - page.count);
    page.keys = keys;
    page.usedAt = this.uses += 1;
    this.forget();
  }

  recount(page, added) {
    page.count += added;
    if (page.reverse) this.tailCount += added;
    else this.headCount += added;
  }

  forget() {
    const held = [...this.head, ...this.tail].filter((page) => page.keys);
    if (held.length <= pagesKept) return;
    held.sort((a, b) => a.usedAt - b.usedAt);
    for (const page of held.slice(0, held.length - pagesKept)) page.keys = null;
  }

  /** A document came or went: its page has one more or one less. True: rows moved. */
  apply(key, isThere) {
    const isKnown = this.pageOf(key);
    if (!isKnown) return false;
    const { page, reverse } = isKnown;
    // What was forgotten is counted anew when it is read again.
    if (!page.keys) return false;
    const compare = (a, b) => reverse ? compareKeys(b, a) : compareKeys(a, b);
    let [low, high] = [0, page.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(page.keys[middle], key) < 0) low = middle + 1;
      else high = middle;
    }
    const isHeld = page.keys[low] === key;
    if (isHeld === isThere) return false;
    page.keys.splice(low, isHeld ? 1 : 0, ...(isHeld ? [] : [key]));
    this.recount(page, isHeld ? -1 : 1);
    this.total += isHeld ? -1 : 1;
    return true;
  }

  /** The page in whose range a key is; null where nothing is read yet. */
  pageOf(key) {
    for (const [pages, reverse] of [
        [this.head, false],
        [this.tail, true]
      ]) {
      for (let index = pages.length - 1; index >= 0; index -= 1) {
        const from = pages[index].from;
        const isBehind = from === null || (reverse ? compareKeys(key, from) < 0 : compareKeys(key, from) >
          0);
        if (!isBehind) continue;
        const isLast = index === pages.length - 1;
        const end = (reverse ? this.tailNext : this.headNext).after;
        // Nothing was read of a space that was empty: all that came is on its one page.
        const isInside = !isLast || end === null || (reverse ? compareKeys(key, end) >= 0 : compareKeys(key, end) <= 0);
        if (isInside || (this.isWhole && (reverse || this.tail.length === 0))) return { page: pages[
            index], reverse };
        break;
      }
    }
    if (this.isWhole && this.head.length === 0 && this.tail.length === 0) {
      const page = { from: null, reverse: false, keys: [], count: 0, usedAt: this.uses };
      this.head.push(page);
      return { page, reverse: false };
    }
    return null;
  }
}

/** What a filter or an order gives, a page at a time. Rows carry their values. */
export class FoundDocuments {
  constructor(space, parameters, changed) {
    Object.assign(this, { space, parameters, changed });
    this.rows = [];
    this.cursor = null;
    this.isWhole = false;
    this.lookedAt = 0;
    this.index = null;
  }

  get count() { return this.rows.length + (this.isWhole ? 0 : 1); }
  key(index) { return this.rows[index]?.key ?? null; }
  value(index) { return this.rows[index]?.value ?? null; }
  apply() { return false; }

  async want(_, last) {
    this.wantedLast = last;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (!this.isWhole && this.wantedLast >= this.rows.length) {
        const page = await get(`spaces/${part(this.space)}/documents${query({
          ...this.parameters, values: "plain", limit: 100, explain: "true", cursor: this.cursor })}`);
        for (const row of page.documents) this.rows.push(row);
        this.cursor = page.next;
        this.isWhole = page.next === null;
        this.lookedAt += page.explain?.lookedAt ?? 0;
        this.index = page.explain?.index ?? null;
        this.changed();
      }
    } finally { this.isReading = false; }
  }
}
