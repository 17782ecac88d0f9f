/** @file What the working tree and a version of a program differ in, over all of its files. */
import type { FileEdit, OtherFiles } from "../../landing/index.ts";
import { agreedAmong, editBetween, recognitionBetween } from "../../landing/index.ts";
import type { ParsedFile } from "../../languages/index.ts";
import { isSource, languageOf } from "../../languages/index.ts";
import { Memo } from "./memo.ts";
import type { OtherProcesses } from "./other-processes.ts";
import { otherProcesses } from "./other-processes.ts";
import type { RecordedVersion } from "./place.ts";
import { hasLoaderWorkers } from "./refused-places.ts";
import type { ReadText } from "./version-texts.ts";

export interface ProgramEdits {
  /** By file: a statement that was changed is one that is gone and one that was added. */
  readonly whole: ReadonlyMap<string, FileEdit>;
  /** The same, where statements that were changed are found again. */
  readonly recognised: ReadonlyMap<string, FileEdit>;
  /** Other files that differ. */
  readonly others: readonly string[];
  /** Whether the version loads data in processes of their own. */
  readonly withWorkers: () => boolean;
  /** Functions that the version has executed by other processes. */
  readonly elsewhere: () => OtherProcesses;
  /** Sources of the working tree's program that the version does not have, with their texts. */
  readonly lacking: ReadonlyMap<string, string>;
  /** What each of its files has to do with what others have. */
  readonly beside: OtherFiles;
}

/** Both versions of every source in which they differ, if both can be read. */
export function readEdits({ files, before, mode }: RecordedVersion, now: ReadText): ProgramEdits {
  const sources = new Map<string, readonly [then: ParsedFile, now: ParsedFile]>();
  const others: string[] = [];
  const lacking = new Map<string, string>();
  for (const file of files) {
    const [old, own] = [before(file), now(file)];
    if (old === undefined && own !== undefined && isSource(file)) lacking.set(file, own);
    if (old === own || old === undefined || own === undefined) continue;
    const then = isSource(file) ? languageOf(file).read(file, old) : NOT_READ;
    const after = isSource(file) ? languageOf(file).read(file, own) : NOT_READ;
    if ("problem" in then || "problem" in after) others.push(file);
    else sources.set(file, [then, after]);
  }
  const mentions = mentionsIn(files.filter(isSource), before);
  const compare = (beside: OtherFiles): Map<string, FileEdit> =>
    new Map(
      [...sources].map(([file, [then, own]]) => {
        return [file, editBetween(then, own, undefined, beside)];
      }),
    );
  const alone = { ...mentions, agreed: new Map<string, object | undefined>() };
  const first = compare(alone);
  const agreed = agreedAmong([...first.values()], alone);
  const beside = { ...mentions, agreed };
  const whole = agreed.size > 0 ? compare(beside) : first;
  const recognised = new Map(
    [...whole].map(([file, edit]) => {
      const { then, now: own, gaps } = edit;
      const isChanged = gaps.some(({ lost, lostLogs }) => lost.length + lostLogs.length > 0);
      const recognition = recognitionBetween(then, own, mode);
      return [file, isChanged ? editBetween(then, own, recognition, beside) : edit];
    }),
  );
  const withWorkers = (): boolean => files.some((file) => hasLoaderWorkers(before(file)));
  const known = new Memo<OtherProcesses>();
  const elsewhere = (): OtherProcesses =>
    known.get([], () => {
      const own = files.filter((file) => file.endsWith(".py"));
      return otherProcesses(own.map((file) => before(file) ?? ""));
    });
  return { whole, recognised, others, lacking, withWorkers, elsewhere, beside };
}

const NOT_READ = { problem: { line: 0, message: "it is no source" } } as const;

/** What files of a version say of each other, by their words. */
function mentionsIn(files: readonly string[], before: ReadText): Omit<OtherFiles, "agreed"> {
  const known = new Memo<readonly string[]>();
  const filesWith = (word: string): readonly string[] =>
    known.get([word], () => {
      const own = word.replaceAll("$", "\\$");
      const whole = new RegExp(`(?<![\\p{L}\\p{N}_$])${own}(?![\\p{L}\\p{N}_$])`, "u");
      return files.filter((file) => whole.test(before(file) ?? ""));
    });
  return {
    filesWith,
    fileOf: (file) => {
      const source = languageOf(file).read(file, before(file) ?? "");
      return "problem" in source ? undefined : source;
    },
    areTakenByName: () => files.every((file) => takesByName(before(file) ?? "")),
  };
}

/** Whether a text looks at what modules export by its names only, and never at all that they do. */
function takesByName(text: string): boolean {
  const whole = [
    ...text.matchAll(/\b(?:import\s*\*\s*as|const|let|var)\s+([\w$]+)\s*(?:from|=\s*require\()/g),
  ];
  const areRead = whole.every(([, name = ""]) => {
    const uses = text
      .split(new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`))
      .slice(2);
    return uses.every((after) => /^\s*(?:\.\s*[\w$]|\()/.test(after));
  });
  const isTaken = [...text.matchAll(/\brequire\([^)]*\)/g)].every(({ index, 0: call }) => {
    const [ahead, behind] = [text.slice(0, index), text.slice(index + call.length)];
    return (
      /^\s*\./.test(behind) || (/(?:=|^|[;\n])\s*$/.test(ahead) && /^\s*(?:;|\n|$)/.test(behind))
    );
  });
  const isSpread =
    /\.\.\.\s*(?:await\s+import|require)\b|\bexport\s*\*|\.\.\.[^}]*\}\s*=\s*require/.test(text);
  return areRead && isTaken && !isSpread;
}
