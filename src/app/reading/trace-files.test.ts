import { expect, test } from "vitest";
import type { FileUse } from "./trace-files.ts";
import { traceFile } from "./trace-files.ts";

/** `run reads|writes file=content`, or `run forks run`; content `?` has no hash, `~x` a sample of x. */
function trace(lines: readonly string[]): string[] {
  const uses: FileUse[] = [];
  const parents = new Map<string, string | null>();
  for (const line of lines) {
    const [run = "", word = "", what = ""] = line.split(" ");
    if (!parents.has(run)) parents.set(run, null);
    if (word === "forks") {
      parents.set(run, what);
      continue;
    }
    const [file = "", content = ""] = what.split("=");
    const access = word === "reads" ? "read" : "written";
    const hash = content.startsWith("~") ? `sampled:${content}` : `sha256:${content}`;
    const bytes = content === "" ? 0 : content === "?" ? null : 9;
    uses.push({ run, access, file, hash: content === "?" ? null : hash, bytes });
  }
  const runs = [...parents].map(([run, parent]) => ({ run, parent }));
  const found = traceFile(runs, uses, ({ hash }) => hash === "sha256:bad");
  return found.map(({ run, by, file, from, certain }) =>
    [run, by, file, from, certain ? "" : "?"].filter(Boolean).join(" "),
  );
}

test.each<[what: string, lines: readonly string[], found: readonly string[]]>([
  ["nobody read it", ["a reads x=good", "b writes x=bad"], []],
  ["under any name", ["a reads x=bad", "b reads y=bad"], ["a read x", "b read y"]],
  [
    "through what was written, and on from there",
    ["a reads x=bad", "a writes m=1", "b reads m=1", "b writes n=2", "c reads n=2"],
    ["a read x", "b read m a", "c read n b"],
  ],
  [
    "what a run wrote that it did not reach stays clean",
    ["a reads x=good", "a writes m=1", "b reads m=1", "b reads x=bad"],
    ["b read x"],
  ],
  [
    "the same name with other content",
    ["a reads x=bad", "a writes m=1", "b writes m=2", "c reads m=2"],
    ["a read x"],
  ],
  [
    "what was read before it was written",
    ["b reads m=1", "a reads x=bad", "a writes m=1"],
    ["a read x"],
  ],
  [
    "a fork, and a fork of it",
    ["a reads x=bad", "b forks a", "b reads x=good", "c forks b"],
    ["a read x", "b fork a", "c fork b"],
  ],
  [
    "without a hash the name tells, uncertainly, and what follows is uncertain",
    ["a reads x=bad", "a writes m=?", "b reads m=1", "b writes n=2", "c reads n=2", "d reads k=1"],
    ["a read x", "b read m a ?", "c read n b ?"],
  ],
  [
    "a sample and a whole hash",
    ["a reads x=bad", "a writes m=1", "b reads m=~1"],
    ["a read x", "b read m a ?"],
  ],
  ["an empty file carries nothing", ["a reads x=bad", "a writes m=", "b reads n="], ["a read x"]],
  [
    "a certain way is told before an uncertain one",
    ["a reads x=bad", "a writes m=?", "a writes n=2", "b reads m=1", "b reads n=2"],
    ["a read x", "b read n a"],
  ],
])("%s", (_, lines, found) => {
  expect(trace(lines)).toEqual(found);
});
