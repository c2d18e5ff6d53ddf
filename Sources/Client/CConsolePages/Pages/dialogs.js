// What the page says beside its content: short notes, errors with what to do, and questions before anything
// that hurts. Dialogs are the browser's own: they hold the focus, Escape leaves them, and the focus goes back.

import { fill, freshID, h } from "./dom.js";

/** A note for a few seconds. */
export function note(message, { tone = "quiet", hint = "" } = {}) {
  const toast = h("div", { class: `toast ${tone}` }, h("p", {}, message), hint ? h("p", { class: "muted" },
      hint) : null,
    h("button", {
      type: "button",
      class: "plain",
      "aria-label": "Close this note",
      onclick: () => toast.remove()
    }, "×"));
  document.getElementById("toasts").append(toast);
  setTimeout(() => toast.remove(), tone === "bad" ? 20_000 : 5_000);
}

/** An error in the voice of replctl: what happened, and what to do. */
export function complain(error) {
  if (error?.name === "AbortError") return;
  console.info(`${error?.code ?? error?.name}: ${error?.message}`);
  note(error?.message ?? String(error), { tone: "bad", hint: error?.hint ?? "" });
}

/** Runs what a control does, and says what went wrong with it; the control waits meanwhile. */
export async function attempt(control, action) {
  if (control) control.disabled = true;
  try { return await action(); } catch (error) { complain(error); return undefined; } finally {
    if (control) control.disabled = false;
  }
}

/** Opens a dialog with this content; gives the value it was closed with. */
export function ask(title, content, buttons, { wide = false } = {}) {
  return new Promise((resolve) => {
    const id = freshID("title");
    const box = h("dialog", { "aria-labelledby": id, class: wide ? "wide" : null },
      h("form", { method: "dialog" }, h("h2", { id }, title), h("div", { class: "content" }, content),
        h("div", { class: "buttons" }, buttons.map(({ label, value, tone, cancels }) =>
          // Enter in a field is the first button that submits: never the one that leaves.
          cancels ? h("button", { type: "button", onclick: () => box.close("") }, label) :
          h("button", { value, class: tone ?? null }, label)))));
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue === "" ? null : box.returnValue);
    });
    document.body.append(box);
    box.showModal();
  });
}

/** Asks before something that hurts. `lines`: what will be, in whole sentences. True: do it. */
export async function confirm(title, lines, label) {
  const answer = await ask(title, [lines].flat().filter(Boolean).map((line) => h("p", {}, line)), [
    { label: "Leave it as it is", value: "", cancels: true }, { label, value: "yes", tone: "danger" },
  ]);
  return answer === "yes";
}

export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    const before = [...button.childNodes];
    fill(button, "Copied");
    setTimeout(() => fill(button, before), 2_000);
  } catch {
    note("this browser does not let the page copy", { tone: "warn",
      hint: "select the text and copy it by hand" });
  }
}
