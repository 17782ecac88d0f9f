/**
 * @file Places at which nothing can be logged that has a place in the loops: functions that run in the
 * processes of a data loader, or were compiled, those that wait where the run did not, and those that Node calls when
 * the run is over.
 */
import type { FileEdit } from "../../landing/index.ts";
import type { Landing } from "../../format/index.ts";
import type { ParsedFile, Statement } from "../../languages/index.ts";
import type { ProgramEdits } from "./program-edits.ts";

/** Packages that compile functions. */
const COMPILING = /^(?:torch|numba|jax|tensorflow|@jax-js\/jax)(?:$|[./])/;
const COMPILERS = String.raw`(?:[\w.]+\.)?(?:compile|n?jit|jit\.(?:script|trace)|vectorize|function)`;
/** Of a dataset, called where its loader is. */
const OF_ITEMS = /^__getitems?__$/;
const WORKERS = /\bnum_workers\s*=\s*[1-9]/;

/** `process.on("exit",` */
const AT_EXIT = String.raw`\bprocess\s*\.\s*(?:on|once|addListener|prepend\w*Listener)\(\s*["'\x60]exit["'\x60]\s*,\s*`;

/** Whether a program gives a data loader processes of its own. */
export function hasLoaderWorkers(text: string | undefined): boolean {
  return text !== undefined && WORKERS.test(text);
}

/** Why what a log call logs has no place; undefined: it has one. `offsets`: of log calls in `now`. */
export function refusedPlace(
  edit: FileEdit,
  offsets: readonly number[],
  { withWorkers, elsewhere }: Pick<ProgramEdits, "withWorkers" | "elsewhere">,
): string | undefined {
  const { now } = edit;
  for (const offset of offsets) {
    const around = now.statements.filter(({ node }) => node.start <= offset && offset < node.end);
    for (const one of around.toReversed()) {
      const name = functionName(now, one);
      if (name === undefined) continue;
      if (isCompiled(now, one, name)) return `\`${name}\` is compiled: log what it returns`;
      if (now.file.endsWith(".py") && isOfLoader(now, name) && withWorkers()) {
        return `\`${name}\` runs in loader workers: its values have no place in the loops`;
      }
      if (now.file.endsWith(".py") && elsewhere().only.has(name)) {
        return `\`${name}\` runs in other processes, and what it prints there is not seen: log what it returns`;
      }
    }
    if (!now.file.endsWith(".py") && isAtExit(now, around, offset)) {
      return (
        '`process.on("exit", …)` calls it when the run is over: log behind your last loop instead, or in ' +
        '`process.on("beforeExit", …)`'
      );
    }
    const waiting = around.findLast(({ needs }) => needs.awaits);
    const head = around.find((one) => isAsync(now, one) && !wasAsync(edit, one));
    if (waiting && head) {
      const { line } = now.lines.at(waiting.node.start);
      return `this \`await\` (${now.file}:${line}) stands where the run did not wait`;
    }
  }
  return undefined;
}

/** What of a question may be executed by other processes, too. */
export function printedElsewhere(
  { recognised, elsewhere }: Pick<ProgramEdits, "recognised" | "elsewhere">,
  starts: ReadonlyMap<string, ReadonlySet<number>>,
): Landing["warnings"] {
  const found = [...starts].flatMap(([file, own]) => {
    const now = file.endsWith(".py") ? recognised.get(file)?.now : undefined;
    const around = now?.statements.filter(({ node }) => {
      return [...own].some((start) => node.start <= start && start < node.end);
    });
    return around?.flatMap((one) => (now ? (functionName(now, one) ?? []) : [])) ?? [];
  });
  const name = found.find((one) => elsewhere().all.has(one));
  if (name === undefined) return [];
  const text = `\`${name}\` runs in other processes, too, and what it prints there is not seen`;
  return [{ code: "unseen", text }];
}

function headOf({ text }: ParsedFile, { node: { start, end } }: Statement): string {
  return text.slice(start, end).split(/\{\s*\n|:\s*\n/, 1)[0] ?? "";
}

/** The name of the function that a statement makes. */
function functionName(file: ParsedFile, statement: Statement): string | undefined {
  const { defines, member, parameters } = statement;
  const [, written] =
    /\b(?:def|function\*?|const|let)\s+([\w$]+)/.exec(headOf(file, statement)) ?? [];
  const isCode = parameters !== undefined || /=>|\bfunction\b/.test(headOf(file, statement));
  return isCode ? (member ?? defines?.name ?? written) : undefined;
}

function isCompiled(file: ParsedFile, statement: Statement, name: string): boolean {
  if (!file.imports.some(({ module }) => COMPILING.test(module))) return false;
  const isDecorated = new RegExp(`^@${COMPILERS}\\b`, "m").test(headOf(file, statement));
  const isHeld = new RegExp(`=\\s*${COMPILERS}\\((?:async\\b|\\(|\\w+\\s*=>|function\\b)`);
  const isGiven = new RegExp(
    `(?<![\\w.])${COMPILERS}\\(\\s*${name.replaceAll("$", "\\$")}\\s*[,)]`,
  );
  return isDecorated || isHeld.test(headOf(file, statement)) || isGiven.test(file.text);
}

function isAtExit(file: ParsedFile, around: readonly Statement[], offset: number): boolean {
  const { text, uses } = file;
  const isGiven = uses.calls.some(({ node, callee }) => {
    const isAround = callee.end <= offset && offset < node.end;
    return isAround && new RegExp(`^${AT_EXIT}`).test(text.slice(node.start, node.end));
  });
  const names = around.flatMap((one) => functionName(file, one) ?? []);
  return (
    isGiven ||
    names.some((name) => new RegExp(`${AT_EXIT}${name.replaceAll("$", "\\$")}\\s*\\)`).test(text))
  );
}

function isOfLoader({ text }: ParsedFile, name: string): boolean {
  return OF_ITEMS.test(name) || new RegExp(`\\bcollate_fn\\s*=\\s*${name}\\b`).test(text);
}

function isAsync(file: ParsedFile, statement: Statement): boolean {
  return /(?:^|=\s*|\s)async\b/.test(headOf(file, statement));
}

/** Whether the run's own waits as well; one that it did not have may do as it likes. */
function wasAsync({ then, changed, startBefore }: FileEdit, statement: Statement): boolean {
  const start = startBefore(statement.node.start);
  const before =
    changed.find(({ now }) => now === statement)?.then ??
    then.statements.find(({ node }) => node.start === start);
  return before === undefined || isAsync(then, before);
}
