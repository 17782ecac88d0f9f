/** @file What a value can be logged under: the same in both languages. */

/** A name of several lines' length is a value that was given in the wrong place. */
const LENGTH_MAX = 1000;

/** Why nothing can be logged under a name, in words; undefined: it can. */
export function logNameProblem(name: unknown): string | undefined {
  if (typeof name !== "string") {
    return `log takes a name and a value, and was given ${kindOf(name)} for the name`;
  }
  if (name === "") return "the name of what is logged is empty";
  if (name.length > LENGTH_MAX) {
    return `the name of what is logged has ${name.length} characters, more than ${LENGTH_MAX}`;
  }
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name) || !name.isWellFormed()) {
    return `the name ${shown(name)} has characters that cannot be shown`;
  }
  return undefined;
}

/** JSON leaves the second half of the control characters as they are. */
function shown(name: string): string {
  const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(name).replaceAll(/[\u007f-\u009f]/g, escaped);
}

function kindOf(name: unknown): string {
  if (name === null || name === undefined) return String(name);
  if (Array.isArray(name)) return "an array";
  return typeof name === "object" ? "an object" : `a ${typeof name}`;
}
