// @ts-check
/**
 * @file An edit of a source as data: a text that stands once in it, and what is put in its place.
 * So a fault outlives lines that move and, being looked for everywhere if its file no longer has
 * the text, code that moves to another file. Pure.
 */

/**
 * @typedef {{ readonly file: string, readonly find: string, readonly replace: string }} Edit
 * @typedef {ReadonlyMap<string, string>} Sources Texts by path.
 */

/**
 * The file that an edit applies to now; throws if that is none, or not certain.
 * @param {Sources} sources
 * @param {Edit} edit
 * @returns {string}
 */
export function locate(sources, { file, find }) {
  const own = countIn(sources.get(file) ?? "", find);
  if (own === 1) return file;
  if (own > 1) throw new Error(`the text stands ${own} times in ${file}`);
  const suffix = file.slice(file.lastIndexOf("."));
  const others = [...sources].filter(
    ([path, text]) => path.endsWith(suffix) && text.includes(find),
  );
  const [other] = others;
  if (others.length === 1 && other && countIn(other[1], find) === 1) return other[0];
  throw new Error(`the text stands neither in ${file} nor once in any other file: ${find}`);
}

/**
 * The text with the edit in it.
 * @param {string} text
 * @param {Pick<Edit, "find" | "replace">} edit
 * @returns {string}
 */
export function applyEdit(text, { find, replace }) {
  if (find === replace) throw new Error(`the edit changes nothing: ${find}`);
  const at = text.indexOf(find);
  if (at < 0) throw new Error(`the text is not there: ${find}`);
  return text.slice(0, at) + replace + text.slice(at + find.length);
}

/**
 * The edit of a part of a text, with as many lines around it as make it the only one.
 * @param {string} text
 * @param {{ readonly file: string, readonly start: number, readonly end: number, readonly put: string }} part
 * @returns {Edit}
 */
export function describeEdit(text, { file, start, end, put }) {
  let from = text.lastIndexOf("\n", start - 1) + 1;
  let to = lineEnd(text, end);
  // Lines are taken in before and after, by turns.
  for (let turn = 0; countIn(text, text.slice(from, to)) > 1; turn++) {
    if (turn % 2 === 0 && from > 0) from = text.lastIndexOf("\n", from - 2) + 1;
    else to = lineEnd(text, Math.min(to + 1, text.length));
    if (from === 0 && to === text.length) break;
  }
  // Indentation changes easily, and says nothing.
  while (text[from] === " " && countIn(text, text.slice(from + 1, to)) === 1) from++;
  const replace = text.slice(from, start) + put + text.slice(end, to);
  return { file, find: text.slice(from, to), replace };
}

/**
 * @param {string} text
 * @param {number} at
 */
function lineEnd(text, at) {
  const found = text.indexOf("\n", at);
  return found < 0 ? text.length : found;
}

/**
 * @param {string} text
 * @param {string} part
 */
function countIn(text, part) {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count++;
  return count;
}
