// Texts that two write at once: one edit of each, as a place, a length and what is put there (UTF-16 units,
// never between the halves of a pair). Ours is moved by theirs, so that both are in the result.

/** The one edit that makes `after` of `before`; null when they are equal. */
export function difference(before, after) {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end +=
    1;
  if (isLow(before, start) || isLow(after, start)) start -= 1;
  if (end > 0 && (isLow(before, before.length - end) || isLow(after, after.length - end))) end -= 1;
  return { index: start, delete: before.length - end - start, insert: after.slice(start, after.length -
    end) };
}

const isLow = (text, index) => {
  const unit = text.charCodeAt(index);
  return unit >= 0xDC00 && unit <= 0xDFFF && index > 0;
};

export const apply = (text, edit) =>
  text.slice(0, edit.index) + edit.insert + text.slice(edit.index + edit.delete);

/** Where a place of the text is after an edit of somebody else. */
export function moved(place, edit) {
  if (place <= edit.index) return place;
  if (place >= edit.index + edit.delete) return place + edit.insert.length - edit.delete;
  return edit.index + Math.min(place - edit.index, edit.insert.length);
}

/** Our edit of a text, as one of the text that theirs made of it. What both deleted is gone once. */
function rebased(ours, theirs) {
  const end = ours.index + ours.delete;
  const theirsEnd = theirs.index + theirs.delete;
  // Put into the same place, ours stands behind theirs.
  if (end < theirs.index || (end === theirs.index && ours.delete > 0)) return ours;
  if (ours.index >= theirsEnd) return { ...ours, index: ours.index + theirs.insert.length - theirs.delete };
  // They overlap: ours deletes what is left of its own range, and leaves what they wrote.
  if (ours.index < theirs.index) return { ...ours, delete: theirs.index - ours.index };
  return { ...ours, index: theirs.index + theirs.insert.length, delete: Math.max(0, end - theirsEnd) };
}

/** Our text, made from `base`, with what made `theirs` of `base`. */
export function merge(base, ours, theirs) {
  const [mine, other] = [difference(base, ours), difference(base, theirs)];
  if (!mine) return theirs;
  if (!other) return ours;
  const rest = mine.index + mine.delete - other.index - other.delete;
  // Theirs is inside of what we deleted: that goes on both sides of what they wrote.
  if (mine.index < other.index && rest > 0) {
    return theirs.slice(0, mine.index) + mine.insert + other.insert
      + theirs.slice(other.index + other.insert.length + rest);
  }
  return apply(theirs, rebased(mine, other));
}
