/**
 * @file Where a log call stands that was put into a version, said by the version's own text: the same
 * whatever else is asked for, and whichever way it came there.
 */
import type { FileEdit, Gap } from "../../landing/index.ts";
import { editBetween } from "../../landing/index.ts";
import type { SourceLog } from "../../languages/index.ts";
import { languageOf } from "../../languages/index.ts";
import { Memo } from "./memo.ts";
import type { ReadText } from "./version-texts.ts";

/** The gap of a version's text in which a log call was put; undefined: the version has it. */
export function gapAt(
  edit: FileEdit | undefined,
  { line, column }: Pick<SourceLog, "line" | "column">,
): Gap | undefined {
  const offset = edit ? edit.now.lines.startOf(line) + column - 1 : 0;
  // Inner ones come last.
  return edit?.gaps.findLast(({ added }) => {
    return added.some(({ node }) => node.start <= offset && offset < node.end);
  });
}

/** By the block and the statement behind it. */
export function gapName(gap: Gap | undefined): string {
  if (!gap) return "";
  const next = gap.then.statements[gap.thenAt]?.node.start;
  return `${gap.then.owner.start}:${next ?? "end"}`;
}

/** Of log calls in a text that was made of another one. */
export function anchorsIn(before: ReadText, after: ReadText): (log: SourceLog) => string {
  const edits = new Memo<FileEdit | undefined>();
  return (log) => {
    const edit = edits.get([log.file], () => editOf(log.file, before, after));
    return gapName(gapAt(edit, log));
  };
}

function editOf(file: string, before: ReadText, after: ReadText): FileEdit | undefined {
  const [old, text] = [before(file), after(file)];
  if (old === undefined || text === undefined) return undefined;
  const [then, now] = [old, text].map((one) => languageOf(file).read(file, one));
  if (!then || !now || "problem" in then || "problem" in now) return undefined;
  return editBetween(then, now);
}
