// JSON whose integers have 64 bits: what a number of JavaScript does not hold is a BigInt here, so that a
// document is written back as it was read. Browsers without the means (before 2025) round such numbers.

const large = /\d{16}/;

export function parse(text) {
  if (!large.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ?
    BigInt(context.source) : value);
}

export function write(value) {
  return JSON.stringify(value, (_, value) =>
    typeof value !== "bigint" ? value : JSON.rawJSON ? JSON.rawJSON(String(value)) : Number(value));
}

/** As a person reads it in a line: strings without quotes. */
export function plain(value) {
  return typeof value === "string" ? value : write(value);
}

export const isNumber = (value) => typeof value === "number" || typeof value === "bigint";
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
