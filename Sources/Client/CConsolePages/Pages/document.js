// One document that is open: what was read, and what is being written. Reading waits for writing: an answer
// that was on its way while something was written may be from before it, and is asked for again.

import { Refusal, readDocument, transact } from "./api.js";
import { complain } from "./dialogs.js";

export class OpenDocument {
  /** `shown(document)` is called with each state that was read; null is a document that is not there. */
  constructor(space, key, shown) {
    Object.assign(this, { space, key, shown });
    this.version = null;
    /** Changes of this page, which need no mark. */
    this.own = new Set();
    this.writing = 0;
    this.writes = 0;
    this.isClosed = false;
  }

  /** Reads it until what came is newer than all that was written. One reading goes on at a time. */
  refresh() {
    this.isStale = true;
    if (!this.isReading) this.reading = this.read();
    return this.reading;
  }

  async read() {
    this.isReading = true;
    while (this.isStale && !this.isClosed) {
      this.isStale = false;
      const writes = this.writes;
      let found;
      try { found = await readDocument(this.space, this.key); } catch (error) {
        if (!this.isClosed) complain(error);
        break;
      }
      if (this.isClosed) break;
      if (this.writing > 0 || writes !== this.writes) {
        // The last writer asks again when it is done.
        this.isStale ||= this.writing === 0;
        continue;
      }
      this.version = found?.version ?? null;
      this.shown(found);
    }
    this.isReading = false;
  }

  /** Writes operations of this document. What is refused is thrown; then all is read again. */
  write(operations, { ifUnchanged = false } = {}) {
    const written = this.send(operations, ifUnchanged);
    this.lastWrite = written.catch(() => {});
    return written;
  }

  async send(operations, ifUnchanged) {
    this.writing += 1;
    this.writes += 1;
    try {
      const conditions = ifUnchanged ? [{ document: this.key, version: this.version }] : undefined;
      const answer = await transact(this.space,
        operations.map((operation) => ({ document: this.key, ...operation })), conditions);
      if (answer.change) this.own.add(answer.change);
      if (ifUnchanged) this.version = answer.version;
      return answer;
    } finally {
      this.writing -= 1;
      if (this.writing === 0) this.refresh();
    }
  }

  /** Whether a change is of this page: a line of the stream may come before the answer to its write. */
  async isOwn(change) {
    while (this.writing > 0) await this.lastWrite;
    return this.own.has(change);
  }

  /** The same for a control: an error is said, and false given. */
  async attempt(...operations) {
    try {
      await this.write(operations);
      return true;
    } catch (error) {
      complain(error);
      return false;
    }
  }

  close() { this.isClosed = true; }
}

export const isChangedMeanwhile = (error) => error instanceof Refusal && error.status === 412;
