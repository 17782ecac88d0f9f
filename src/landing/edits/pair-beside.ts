/** @file The files of a question that differ in more than it, each with both versions paired as if it were not there. */
import type { Statement } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { VersionPair } from "../pairing/version-pair.ts";
import type { FileEdit, QuestionStarts } from "./align.ts";
import { asWritten } from "./changed-lines/braces.ts";

/** The statements of a question in a file that differs in more, and both versions of that without them. */
export interface PairBeside {
  readonly file: string;
  readonly edit: FileEdit;
  readonly own: readonly Statement[];
  readonly pair: VersionPair;
}

const paired = new WeakMap<FileEdit, { readonly of: string; readonly beside: PairBeside[] }>();

export function pairsBeside(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
): PairBeside[] {
  return [...edits].flatMap(([file, edit]) => {
    const own = ownStatements(edit, question.get(file) ?? new Set());
    if (own.length === 0 || !differsBeside(edit, own)) return [];
    const of = own.map(({ node }) => node.start).join();
    const known = paired.get(edit);
    if (known?.of === of) return known.beside;
    const beside = [{ file, edit, own, pair: pairOf(edit, own) }];
    paired.set(edit, { of, beside });
    return beside;
  });
}

/**
 * The outermost ones that are new, or log more: other statements of the run that the question says
 * otherwise go on changing what they did.
 */
function ownStatements(
  { now, gaps, startBefore }: FileEdit,
  starts: ReadonlySet<number>,
): Statement[] {
  const isOfRun = (one: Statement): boolean =>
    !one.isLog &&
    (startBefore(one.node.start) !== undefined || gaps.some((gap) => gap.shaped.get(one)?.wraps));
  const own = now.statements.filter((one) => starts.has(one.node.start) && !isOfRun(one));
  return own.filter(({ node }) => {
    return !own.some((one) => one.node !== node && isInside(node, one.node));
  });
}

/** Whether the versions differ in more than the question. */
function differsBeside({ gaps, changed }: FileEdit, own: readonly Statement[]): boolean {
  const isOther = ({ node }: Statement): boolean => !own.some((one) => isInside(node, one.node));
  return changed.length > 0 || gaps.some(({ added, lost }) => [...added, ...lost].some(isOther));
}

function pairOf({ now, then }: FileEdit, statements: readonly Statement[]): VersionPair {
  const none = (): undefined => undefined;
  const files = { now: { file: now.file, text: none }, then: { files: [], text: none } };
  const mode = { handsFree: true };
  return new VersionPair({ now, then: asWritten(then), statements, isSameFile: true, files, mode });
}
