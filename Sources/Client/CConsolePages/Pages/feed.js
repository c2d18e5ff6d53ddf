// The change stream of the space that is looked at. One at a time: a browser has six connections to a server.
// It goes on exactly after its last line when the connection broke, and rests while the page is not seen.

import { lines, part, query } from "./api.js";

/** Lines that are kept of a space for the page of changes. */
const keptMax = 1_000;
const kept = new Map();

class Feed {
  constructor(space) {
    this.space = space;
    this.listeners = new Set();
    this.cursor = null;
    this.state = "opening";
    this.isClosed = false;
    this.abort = null;
    if (!kept.has(space)) kept.set(space, []);
    this.onVisibility = () => {
      clearTimeout(this.rest);
      if (document.hidden) this.rest = setTimeout(() => this.abort?.abort(), 20_000);
      else this.wake?.();
    };
    document.addEventListener("visibilitychange", this.onVisibility);
    this.run();
  }

  /** Lines so far, the newest first. */
  get lines() { return kept.get(this.space); }

  /** `line`, `resync` and `state` are called as they come; gives the function that ends it. */
  listen(listener) {
    this.listeners.add(listener);
    listener.state?.(this.state);
    return () => this.listeners.delete(listener);
  }

  tell(name, value) {
    for (const listener of this.listeners) {
      // A page that fails at a line has a fault; the stream goes on all the same.
      try { listener[name]?.(value); } catch (error) { reportError(error); }
    }
  }

  setState(state) {
    if (this.state === state) return;
    this.state = state;
    this.tell("state", state);
  }

  async run() {
    let waitSeconds = 1;
    while (!this.isClosed) {
      this.abort = new AbortController();
      try {
        const path = `spaces/${part(this.space)}/changes${query({ since: this.cursor, units: "utf16" })}`;
        for await (const line of lines(path, { signal: this.abort.signal })) {
          this.setState("live");
          waitSeconds = 1;
          this.take(line);
        }
      } catch { /* said by the state; the next round asks again */ }
      if (this.isClosed) return;
      this.setState("waiting");
      await new Promise((resolve) => {
        this.wake = resolve;
        if (!document.hidden) setTimeout(resolve, waitSeconds * 1000);
      });
      waitSeconds = Math.min(15, waitSeconds * 2);
    }
  }

  take(line) {
    if (line.error) return this.abort.abort();
    this.cursor = line.cursor ?? this.cursor;
    if (line.resync) return this.tell("resync");
    if (!line.documents) return undefined;
    const held = this.lines;
    held.unshift(line);
    if (held.length > keptMax) held.pop();
    return this.tell("line", line);
  }

  close() {
    this.isClosed = true;
    document.removeEventListener("visibilitychange", this.onVisibility);
    clearTimeout(this.rest);
    this.abort?.abort();
    this.wake?.();
  }
}

let current = null;

/** The stream of this space; that of another one ends. */
export function feedOf(space) {
  if (current?.space === space) return current;
  current?.close();
  current = new Feed(space);
  return current;
}

export function closeFeed() {
  current?.close();
  current = null;
}
