// The control API, through the console's server: calls, and streams of lines. All addresses are relative to
// the page, which has a path of its own.

import { parse, write } from "./json.js";

/** What the daemon or the console refused, in the API's words. */
export class Refusal extends Error {
  constructor(status, error) {
    super(error?.message ?? `the daemon answered with status ${status}`);
    this.status = status;
    this.code = error?.code ?? `http-${status}`;
    this.hint = error?.hint ?? "";
    this.details = error ?? {};
  }
}

/** Nobody answered: the console's own program has ended, or the connection broke. */
export class Unreached extends Error {
  constructor() {
    super("replctl console has ended");
    this.code = "console-ended";
    this.hint = "run replctl console again; it prints a new address";
  }
}

/** A part of a path. A part that is all dots would be taken for a step up: keys of that form see `readByKey`. */
export const part = encodeURIComponent;

/** A query of the parameters that have a value. */
export function query(parameters) {
  const words = Object.entries(parameters)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return words.length ? `?${words.join("&")}` : "";
}

async function fetched(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", redirect: "error", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreached();
  }
  if (answer.ok) return answer;
  let error = null;
  try { error = parse(await answer.text()).error; } catch { /* a body that is no JSON says nothing */ }
  throw new Refusal(answer.status, error);
}

async function bodyOf(answer) {
  try { return await answer.text(); } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreached();
  }
}

/** Asks; gives the answer as JSON. */
export async function call(method, path, { body, headers, signal } = {}) {
  const options = { method, signal, headers: { ...headers } };
  if (body !== undefined) {
    options.body = write(body);
    options.headers["Content-Type"] = "application/json";
  }
  return parse(await bodyOf(await fetched(`v1/${path}`, options)));
}

export const get = (path, options) => call("GET", path, options);

/** The answer as text. */
export async function text(path, options) {
  return bodyOf(await fetched(`v1/${path}`, options));
}

/** The lines of an answer as they come; empty ones are signs of life and are left out. */
export async function* lines(path, { method = "GET", body, signal } = {}) {
  const options = { method, signal, headers: {} };
  if (body !== undefined) {
    options.body = write(body);
    options.headers["Content-Type"] = "application/json";
  }
  const answer = await fetched(`v1/${path}`, options);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      rest += value;
      const found = rest.split("\n");
      rest = found.pop();
      for (const line of found)
        if (line !== "") yield parse(line);
    }
    if (rest !== "") yield parse(rest);
  } finally {
    // Who stops reading ends the daemon's stream too.
    await reader.cancel().catch(() => {});
  }
}

/** One transaction. A key makes it safe to send again when the answer was lost. */
export async function transact(space, operations, conditions) {
  const body = conditions ? { operations, if: conditions } : { operations };
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const send = () => call("POST", `spaces/${part(space)}/transactions?units=utf16`, { body, headers });
  try { return await send(); } catch (error) {
    if (!(error instanceof Unreached)) throw error;
    return await send();
  }
}

/** A document with kinds; null where there is none. */
export async function readDocument(space, key, { signal } = {}) {
  try {
    if (key === "." || key === "..") return await readByKey(space, key, signal);
    return await get(`spaces/${part(space)}/documents/${part(key)}?view=typed`, { signal });
  } catch (error) {
    if (error.status === 404 && error.code === "no-such-document") return null;
    throw error;
  }
}

/** Whether a document is there; a 404 would stand as an error in the browser's console. */
export const isThere = async (space, key) => await readByKey(space, key) !== null;

/** Browsers take `.` and `..` for steps in a path, encoded or not: such a key is found in a listing. */
async function readByKey(space, key, signal) {
  const page = await get(
    `spaces/${part(space)}/documents${query({ prefix: key, limit: 1, values: "typed" })}`, { signal });
  const found = page.documents[0];
  return found?.key === key ? found : null;
}

/** The squares of a QR code. */
export async function drawCode(message) {
  const answer = await fetched("qr", { method: "POST", body: message });
  return JSON.parse(await bodyOf(answer));
}
