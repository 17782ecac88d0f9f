/**
 * @file Loop paths: where in the loops something happened.
 *
 * An element is `[name, index, entry]`; the entry is left out when it is the first one under the
 * same parent. `index` is `"end"` only in the path of a loop-end checkpoint.
 */

export type PathElement =
  | readonly [name: string, index: number | "end"]
  | readonly [name: string, index: number | "end", entry: number];

export type LoopPath = readonly PathElement[];

/** Characters of a loop name that stand for themselves in text and in file names. */
const PLAIN = /[A-Za-z0-9_.-]/;

const ALL_PLAIN = /^[A-Za-z0-9_.-]*$/;

/** Percent-encodes a loop name, byte by byte of its UTF-8. */
function encodeName(name: string): string {
  if (ALL_PLAIN.test(name)) return name;
  let text = "";
  for (const character of name.toWellFormed()) {
    if (PLAIN.test(character)) text += character;
    else for (const byte of Buffer.from(character)) text += `%${hexByte(byte)}`;
  }
  return text;
}

function hexByte(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}

/** Makes an element, leaving out the entry when it is the first. */
export function pathElement(name: string, index: number | "end", entry: number): PathElement {
  return entry === 0 ? [name, index] : [name, index, entry];
}

/** The path as text: `epoch=3,step=17`; a later entry is `step#1=17`; top level is `""`. */
export function formatPath(path: LoopPath): string {
  return path
    .map(([name, index, entry]) => `${encodeName(name)}${entry ? `#${entry}` : ""}=${index}`)
    .join(",");
}

/** The path of the end of the loop whose iteration is given. */
export function loopEndOf(path: LoopPath): LoopPath {
  const last = path.at(-1);
  if (!last) return path;
  const [name, , ...entry] = last;
  return [...path.slice(0, -1), [name, "end", ...entry] as PathElement];
}

/** Reads what `formatPath` wrote; `undefined` if it is not a path. */
export function parsePath(text: string): LoopPath | undefined {
  if (text === "") return [];
  const path: PathElement[] = [];
  for (const part of text.split(",")) {
    const match = /^([^#=]+)(?:#(\d+))?=(\d+|end)$/.exec(part);
    if (!match) return undefined;
    const [, rawName = "", entry, index = ""] = match;
    const name = decodeName(rawName);
    if (name === undefined) return undefined;
    path.push(pathElement(name, index === "end" ? "end" : Number(index), Number(entry ?? 0)));
  }
  return path;
}

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A word of a path as a person typed it: it may hold a bare `%`. */
export function decodedWord(text: string): string {
  return decodeName(text) ?? text;
}

/** `epoch`, `#1` for a later entry, `#` for an index, and what stands behind `=`. */
export const PATH_ELEMENT: RegExp = /^([^#=]+)(#\d+)?(#)?=(.*)$/s;

/** What the program calls a loop that is named by its function too: `i` of `train.i` and `main.i.2`. */
export function calledLoop(loop: string): string {
  return (
    loop
      .replace(/\.\d+$/, "")
      .split(".")
      .at(-1) ?? loop
  );
}

/** A path with indices, as text for people: `epoch#=2` where `epoch=2` would mean another one. */
export function shownPath(path: string, byValue: ReadonlySet<string> | undefined): string {
  if (!byValue || byValue.size === 0) return path;
  const show = (element: string): string => {
    const [, loop = "", entry = "", , index = ""] = PATH_ELEMENT.exec(element) ?? [];
    const isOther = index !== "end" && byValue.has(decodedWord(loop));
    return isOther ? `${loop}${entry}#=${index}` : element;
  };
  return path.split(",").map(show).join(",");
}

/** Longest file name we write; most file systems stop at 255 bytes. */
const FILE_NAME_MAX = 200;

/**
 * The name of a checkpoint file. `attempt` counts the checkpoints taken at this path before (a
 * resumed run takes some again); `digest` names a path too long for a file name.
 */
export function checkpointFileName(
  path: LoopPath,
  attempt: number,
  digest: (text: string) => string,
): string {
  const text = formatPath(path);
  const stem = text.length <= FILE_NAME_MAX ? text : digest(text).slice(0, 32);
  return `${stem}${attempt === 0 ? "" : `~${attempt}`}.safetensors`;
}
