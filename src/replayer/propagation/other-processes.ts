/**
 * @file Functions that a Python program has executed by other processes: what they print there is in no log of
 * the run, and a replay does not see it either. Found by their names, in all files of the program.
 */

/** What starts processes that execute functions, and not threads. */
const POOL = String.raw`(?<!\w)(?:\w+\.)*(?:Pool|ProcessPoolExecutor)\s*\(`;
const POOLS = [
  new RegExp(String.raw`([\w.]+)\s*=\s*${POOL}`, "g"),
  new RegExp(String.raw`${POOL}[^\n]*\)\s+as\s+(\w+)`, "g"),
];
const GIVES = String.raw`\.\s*(?:map|imap|imap_unordered|starmap|map_async|starmap_async|apply|apply_async|submit)\(\s*`;
const FUNCTION = String.raw`(?:(?:functools\.)?partial\(\s*)?([\w.]+)\s*[,)]`;
const DIRECTLY = [
  new RegExp(String.raw`${POOL}[^()\n]*\)${GIVES}${FUNCTION}`, "g"),
  new RegExp(String.raw`(?<![\w])(?:\w+\.)*Process\s*\([^()]*\btarget\s*=\s*${FUNCTION}`, "g"),
  new RegExp(String.raw`${POOL}[^()\n]*\binitializer\s*=\s*${FUNCTION}`, "g"),
];

export interface OtherProcesses {
  /** Functions that are executed there only, as far as the texts tell. */
  readonly only: ReadonlySet<string>;
  /** Those, and others that may be executed there, too. */
  readonly all: ReadonlySet<string>;
}

export function otherProcesses(texts: readonly string[]): OtherProcesses {
  const given = new Set(texts.flatMap(functionsGiven));
  const bodies = given.size === 0 ? [] : texts.flatMap(functionsIn);
  const all = new Set(given);
  // While it is gone through, it grows: what they call is executed there, too.
  for (const name of all) {
    const own = bodies.filter((one) => one.name === name).map(({ body }) => body);
    const called = bodies.filter(({ name: other }) => own.some((body) => calls(body, other)));
    for (const one of called) all.add(one.name);
  }
  const whole = texts.join("\n");
  return { only: new Set([...given].filter((name) => !calls(whole, name))), all };
}

function functionsGiven(text: string): string[] {
  if (!/\b(?:multiprocessing(?!\.dummy)|concurrent|mp|pathos)\b/.test(text)) return [];
  const pools = POOLS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, name = ""]) => name),
  );
  const by = pools.map((name) => {
    return new RegExp(String.raw`(?<![\w.])${name.replaceAll(".", "[.]")}${GIVES}${FUNCTION}`, "g");
  });
  return [...DIRECTLY, ...by].flatMap((pattern) => {
    return [...text.matchAll(pattern)].map(([, name = ""]) => name.split(".").at(-1) ?? name);
  });
}

function calls(text: string, name: string): boolean {
  return new RegExp(String.raw`(?<!\bdef\s+|\w)${name}\s*\(`).test(text);
}

/** Functions and methods, with the lines that are indented further than their heads. */
function functionsIn(text: string): { readonly name: string; readonly body: string }[] {
  return [...text.matchAll(/^([ \t]*)(?:async\s+)?def\s+(\w+)/gm)].map((found) => {
    const [head, indent = "", name = ""] = found;
    const lines = text.slice(found.index + head.length).split("\n");
    const end = lines.findIndex((line, at) => {
      const [own = ""] = /^[ \t]*/.exec(line) ?? [];
      return (
        at > 0 && line.trim() !== "" && !/^\s*[)\]}]/.test(line) && own.length <= indent.length
      );
    });
    return { name, body: lines.slice(0, end === -1 ? undefined : end).join("\n") };
  });
}
