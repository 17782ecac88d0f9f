/**
 * @file `--bring NAME`: a question uses the working tree's function or class where a version has another
 * one. The version's own code keeps calling its own.
 */
import { AfterlogError, nearestName } from "../../format/index.ts";
import type { WhyNot } from "../../landing/index.ts";
import { bringBeside, differingNames } from "../../landing/index.ts";
import type { Edit, ParsedFile } from "../../languages/index.ts";
import { isSource, languageOf } from "../../languages/index.ts";
import type { AskedOfVersion } from "./asked-edit.ts";
import type { Question } from "./asked-question.ts";
import type { NameLanding } from "./place.ts";
import type { ReadText } from "./version-texts.ts";
import type { WorkingTree } from "./working-tree.ts";

type Span = Pick<Edit, "start" | "end">;

/** What was brought: by asked name, what its question mentions of it, and what that is called now. */
export type Brought = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface BringRequest {
  readonly names: readonly string[];
  readonly tree: WorkingTree;
  /** Sources of the working tree's programs. */
  readonly files: readonly string[];
  /** What is asked, of the versions from the newest to the oldest. */
  readonly versions: Iterable<AskedOfVersion>;
}

/** Writes the working tree's texts so that the question calls what is brought. Throws AL025. */
export function bringYours({ names, tree, files, versions }: BringRequest): Brought {
  const spans = new Map<string, Map<string, readonly Span[]>>();
  const differing = new Set<string>();
  const older: { readonly file: string; readonly text: string }[] = [];
  const sources = [...new Set(files)].filter(isSource);
  for (const { asked, edits, version } of versions) {
    older.push(...sources.map((file) => ({ file, text: version.before(file) ?? "" })));
    for (const { piece, question } of asked) {
      const own = spansOf(question, tree.text);
      const key = `${version.program} ${piece.name}`;
      if (own.size > 0 && !spans.has(key)) spans.set(key, own);
      const all = differingNames(edits.recognised, question.starts);
      for (const name of all) differing.add(name);
    }
  }
  const question = new Map<string, Span[]>();
  for (const [file, own] of [...spans.values()].flatMap((one) => [...one])) {
    question.set(file, [...(question.get(file) ?? []), ...own]);
  }
  const brought = bringBeside({ names, files: sources, textOf: tree.text, question, older });
  const [left] = brought.left;
  if (left) throw notBrought(left[0], left[1], { tree, files: sources });
  for (const name of names) {
    const mentions = brought.mentions.get(name) ?? [];
    const isOther = differing.has(name) || mentions.some((one) => differing.has(one));
    if (!isOther) throw sameEverywhere(name);
  }
  const texts = new Map(sources.map((file) => [file, tree.text(file) ?? ""]));
  tree.rewrite(brought.edits);
  return new Map(
    [...spans].map(([key, own]) => {
      const said = [...own].flatMap(([file, all]) => {
        return all.map(({ start, end }) => texts.get(file)?.slice(start, end) ?? "");
      });
      const uses = new Set(
        [...brought.names.keys()].filter((one) => hasWord(said.join("\n"), one)),
      );
      // While it is gone through, it grows by what they mention.
      for (const one of uses) for (const other of brought.mentions.get(one) ?? []) uses.add(other);
      const called = [...brought.names].filter(([one]) => uses.has(one));
      return [key.slice(key.indexOf(" ") + 1), new Map(called)];
    }),
  );
}

/** Whether all of these can be brought for a question. */
export function canBring(
  names: readonly string[],
  question: Pick<Question, "starts" | "shaped">,
  { now, version }: Pick<AskedOfVersion, "now" | "version">,
): boolean {
  const own = spansOf(question, now);
  const files = version.files.filter(isSource);
  return bringBeside({ names, files, textOf: now, question: own, older: [] }).left.size === 0;
}

/** Why a name that landed lacks what was to be brought for it; undefined: it has it. */
export function whyNotBrought(landing: NameLanding, brought: Brought): string | undefined {
  const { name, verdict, carried, landings } = landing;
  const text = [...landings.map((one) => one.text ?? ""), ...carried].join("\n");
  for (const [own, to] of brought.get(name) ?? []) {
    if (verdict === "cannot" || text.includes(to)) continue;
    return verdict === "present"
      ? `this run logs it itself, with its own \`${own}\`; ask for yours as another column: --as ${name}_yours`
      : `your \`${own}\` finds no place beside that version's own`;
  }
  return undefined;
}

/** By file, the parts of the working tree that are a question. */
function spansOf(
  { starts, shaped }: Pick<Question, "starts" | "shaped">,
  textOf: ReadText,
): Map<string, readonly Span[]> {
  const found = [...starts].flatMap(([file, own]): [string, Span[]][] => {
    const source = languageOf(file).read(file, textOf(file) ?? "");
    if ("problem" in source) return [];
    const all = [...source.statements, ...source.members.flatMap((list) => list.statements)];
    return [
      [
        file,
        all.flatMap(({ node }) => {
          if (!own.has(node.start)) return [];
          return shaped.get(file)?.has(node.start) ? [headOf(source, node)] : [node];
        }),
      ],
    ];
  });
  return new Map(found.map(([file, all]) => [file, outermost(all)]));
}

/** A statement of the run that shows more: what stands in its blocks is the run's. */
function headOf({ statements }: ParsedFile, { start, end }: Span): Span {
  const inner = statements.map(({ node }) => node.start).filter((at) => start < at && at < end);
  return { start, end: Math.min(end, ...inner) };
}

function outermost(spans: readonly Span[]): Span[] {
  const isIn = (one: Span, other: Span): boolean =>
    other.start <= one.start &&
    one.end <= other.end &&
    other.end - other.start > one.end - one.start;
  return spans.filter((one) => !spans.some((other) => isIn(one, other)));
}

function hasWord(text: string, word: string): boolean {
  const words: readonly string[] = text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
  return words.includes(word);
}

function sameEverywhere(name: string): AfterlogError {
  const message = `\`${name}\` is the same in every version that is asked`;
  return new AfterlogError("AL025", message, { help: [`ask without  --bring ${name}`] });
}

function notBrought(
  name: string,
  why: WhyNot,
  { tree, files }: { readonly tree: WorkingTree; readonly files: readonly string[] },
): AfterlogError {
  switch (why.kind) {
    case "missing": {
      const close = nearestName(name, definedIn(tree, files));
      return new AfterlogError("AL025", `there is no \`${name}\` in the working tree`, {
        notes: [`looked for a function or class in: ${files.slice(0, 6).join(", ")}`],
        help: [
          close === undefined ? "name a function or class" : `did you mean:  --bring ${close}`,
        ],
      });
    }
    case "value":
      return new AfterlogError(
        "AL025",
        `\`${name}\` (${why.file}:${why.line}) is no function and no class: it is not brought`,
        {
          notes: ["the run computed with its own; a question cannot change that"],
          help: ["write the value that you mean into what is asked"],
        },
      );
    case "method":
      return new AfterlogError(
        "AL025",
        `\`${name}\` is a method: the run's objects have their own`,
        {
          help: [
            `where what is asked makes objects itself, bring the class:  --bring ${why.owner}`,
          ],
        },
      );
    case "unused":
      return new AfterlogError(
        "AL025",
        `what is asked does not call \`${name}\`: the run's own code keeps calling its own`,
        {
          notes: [
            "a call is found by the function's name, or by an import at the head of its file",
          ],
          help: [
            why.by.length > 0
              ? `bring what calls it, too:  ${[...why.by, name].map((one) => `--bring ${one}`).join(" ")}`
              : `call it in what is asked:  --at FILE:LINE 'NAME = ${name}(…)' --bring ${name}`,
          ],
        },
      );
    case "unfit":
      return new AfterlogError("AL025", `\`${name}\` cannot be brought: ${why.why}`, {
        help: [`copy it under another name in the working tree, and call that in what is asked`],
      });
  }
}

function definedIn(tree: WorkingTree, files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const source = languageOf(file).read(file, tree.text(file) ?? "");
    if ("problem" in source) return [];
    const all = [...source.scopes.bindingOf.values()];
    return all.filter(({ kind }) => kind === "function" || kind === "class").map((one) => one.name);
  });
}
