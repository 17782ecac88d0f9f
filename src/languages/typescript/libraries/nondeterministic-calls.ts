/**
 * @file What answers otherwise each time it is asked: clocks, entropy, ids, facts of the process, the
 * network, races of promises. Paths are those of `lookup.ts`: `global|Date.now`, `crypto|randomInt`, `uuid|v4`.
 */
import type { LibraryDescription } from "../../../format/index.ts";
import { descriptionsOf } from "../../libraries/descriptions.ts";
import { librariesOf } from "./javascript-descriptions.ts";

const SOURCES = ["clock", "entropy", "id", "process", "network", "race"];

/** What is said of a path: `clock`, `draws` and so on. */
export function kindsOf(path: string): ReadonlySet<string> {
  const [root = "", members = ""] = path.split("|");
  for (const { nondeterministic } of librariesOf(root)) {
    // What is said of a path holds below it, too.
    for (let part = members; ; part = part.slice(0, part.lastIndexOf("."))) {
      const entry = nondeterministic.find(part);
      if (entry) return entry.words;
      if (!part.includes(".")) break;
    }
  }
  return new Set();
}

/** Whether what stands at a path, or what it gives, is another one each time. */
export function isNondeterministic(path: string): boolean {
  const words = kindsOf(path);
  return SOURCES.some((word) => words.has(word));
}

/** Whether what stands at a path has such members: whoever gets it may ask them. */
export function handsOn(path: string): boolean {
  const [root = "", members = ""] = path.split("|");
  const before = members === "" ? "" : `${members}.`;
  return sourcesOf(root).some((name) => name.startsWith(before));
}

/** Members of a package that answer otherwise each time, as its description has them. */
export function sourcesOf(root: string): string[] {
  return librariesOf(root).flatMap(({ nondeterministic }) =>
    nondeterministic.all.flatMap(([names, { words }]) =>
      SOURCES.some((word) => words.has(word)) ? names.split(" ") : [],
    ),
  );
}

/**
 * Whether results are recorded and given again in replays. Not what comes over the network or wins
 * a race, and not what holds only as long as the process lives: a signal would go to another process of that id.
 */
export function isGivenAgain(path: string): boolean {
  const words = kindsOf(path);
  return isNondeterministic(path) && !["network", "live", "race"].some((word) => words.has(word));
}

export function isClock(path: string): boolean {
  return kindsOf(path).has("clock");
}

/** Whether it moves the generator of random numbers on. */
export function draws(path: string): boolean {
  return kindsOf(path).has("draws");
}

/** Whether it fills its first argument. */
export function fillsAtRandom(path: string): boolean {
  return kindsOf(path).has("fills");
}

/** `new Date()` and `Date()` read the clock; `new Date(2026, 1)` does not. */
export function readsClock(path: string, args: number, how: "call" | "new"): boolean {
  return path === "global|Date" && (args === 0 || how === "call");
}

let mentioned: RegExp | undefined;

/** Whether a text may have one of them: a part of each is looked for. */
export function mayMention(text: string): boolean {
  return (mentioned ??= mentionedNames()).test(text);
}

function mentionedNames(): RegExp {
  const names = new Set(descriptionsOf("javascript").flatMap((one) => [...partsOf(one)]));
  return new RegExp(`(?<![\\w$])(?:${[...names].join("|")})(?![\\w$])`);
}

/** Names without which a program uses nothing of it. */
function* partsOf({ packages, nondeterministic }: LibraryDescription): Generator<string> {
  const said = nondeterministic.all.flatMap(([names]) => names.split(" "));
  if (packages.includes("global")) {
    for (const name of said) if (name !== "Math.random") yield name.split(".")[0] ?? name;
  } else if (said.some((name) => name.includes("*"))) {
    for (const name of packages) if (!name.includes("*")) yield name;
  } else for (const name of said) yield name.slice(name.lastIndexOf(".") + 1);
}

/** Methods that show what they are given, and keep nothing of it for the program. */
export const SHOWING: ReadonlySet<string> = new Set(
  "log info debug warn error trace write print".split(" "),
);
