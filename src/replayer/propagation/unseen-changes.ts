/**
 * @file What a question may change of the run and no checkpoint would show: the run's own loops leave it
 * alone, so that it is captured nowhere, or it cannot be captured at all. Nothing can be compared then.
 */
import type { ProbePlace } from "../../format/index.ts";
import type { Binding, ChangedName, SourceLoop, SourceModel } from "../../languages/index.ts";
import { analyzeProgram, languageOf } from "../../languages/index.ts";
import type { AskedStatement } from "./asked-statements.ts";
import { certainChanges } from "./certain-changes.ts";
import { changingStatements } from "./changing-statements.ts";
import type { RecordedVersion } from "./place.ts";
import type { ReadText } from "./version-texts.ts";

/** The source of a version with a question in it. */
interface AskedSource {
  readonly statements: readonly AskedStatement[];
  readonly text: ReadText;
  readonly model: SourceModel;
  readonly probes: readonly ProbePlace[];
}

/** The statements, those that may change such a thing with the reason why nobody can be sure. */
export function withUnseenChanges(
  { statements, text, model, probes }: AskedSource,
  { program, mode, before }: RecordedVersion,
): readonly AskedStatement[] {
  if (statements.every(({ planned }) => planned.mayChange === undefined)) return statements;
  const ran = analyzeProgram(program, before, mode);
  const asked = analyzeProgram(program, text, { ...mode, probes });
  const unseen = unseenByLoop(ran, asked, probes, before);
  const isOwn = ownNames(text, probes);
  const isCertain = certainChanges(asked.files, text, probes);
  const byParts = asked.loops.flatMap(({ changedByParts = [] }) => changedByParts);
  const held = byParts.filter((one) => isHeld(one) && !one.indirect);
  const changes = [...new Set(held.map(({ key }) => key))].toSorted();
  const changing = changingStatements(asked.files, text, probes);
  return statements.map((asIs) => {
    const { log } = asIs;
    if (asIs.planned.mayChange === undefined) return asIs;
    const planned = {
      ...asIs.planned,
      ...(changes.length > 0 ? { changes } : {}),
      ...(changing.length > 0 ? { changing } : {}),
    };
    const one = { log, planned };
    const names = log.chain
      .flatMap((id) => model.loops[id] ?? [])
      .flatMap((loop) => unseen.get(loop.name ?? "") ?? [])
      .filter((changed) => !isOwn(changed) && isMentioned(changed, ran.files, before));
    const sure = names.find((changed) => isCertain(wordOf(changed)));
    const first = sure ?? names[0];
    if (first === undefined) return one;
    const what = isVariable(first)
      ? `${first.name} (${fileOf(first)})`
      : first.name.replace(/ is changed$/, "");
    const doing = changing.find(({ names: own }) => own.includes(wordOf(first)));
    const why = `\`${doing?.text ?? planned.mayChange}\` may change ${what}, which no checkpoint holds`;
    const unsure = [...(planned.unsure ?? []), why];
    return {
      ...one,
      planned: { ...planned, unsure, ...(sure ? { lasting: lastingOf(sure) } : {}) },
    };
  });
}

/** As it is told: `` `calls` of a class or function ``. */
function lastingOf({ name }: ChangedName): string {
  const [, word = name, rest = ""] = /^(\S+?)=?( .*)?$/.exec(name) ?? [];
  return `\`${word}\`${rest}`;
}

/** The word by which the text names it. */
function wordOf(changed: ChangedName): string {
  return isVariable(changed) ? changed.name : (lastName(changed) ?? changed.name.replace(/=$/, ""));
}

/** By the name that a loop of the run has, what the question changes and no checkpoint of it holds. */
function unseenByLoop(
  ran: SourceModel,
  asked: SourceModel,
  probes: readonly ProbePlace[],
  before: ReadText,
): Map<string, ChangedName[]> {
  const isAsked = ({ file, line }: SourceLoop): boolean =>
    probes.some((probe) => {
      return probe.file === file && probe.line <= line && line <= (probe.end?.line ?? probe.line);
    });
  const unseen = new Map<string, ChangedName[]>();
  for (const file of new Set(ran.loops.map((loop) => loop.file))) {
    const own = inOrder(ran.loops.filter((loop) => loop.file === file));
    const others = inOrder(asked.loops.filter((loop) => loop.file === file && !isAsked(loop)));
    // With the question in it a loop may be left alone: then which is which is not told.
    const isPaired = own.length === others.length;
    for (const [at, loop] of own.entries()) {
      const { name, changes } = loop;
      const bound = boundIn(loop, before);
      const captured = (isPaired ? changes : own.flatMap((one) => one.changes)).filter(isHeld);
      const known = new Set(captured.map(keyOf));
      const paired = isPaired ? [others[at]] : others;
      const more = paired
        .flatMap((one) => one?.changedByParts ?? [])
        .filter((one) => !known.has(keyOf(one)))
        .filter((one) => fileOf(one) !== file || !bound.has(one.name));
      unseen.set(name ?? "", [...(unseen.get(name ?? "") ?? []), ...more]);
    }
  }
  return unseen;
}

/**
 * Names that the run's own loop gives values. One that it changes and no checkpoint holds is not read
 * before it is set again: what a question makes of it does not reach the run.
 */
function boundIn({ file, line, column }: SourceLoop, before: ReadText): ReadonlySet<string> {
  const source = languageOf(file).read(file, before(file) ?? "");
  if ("problem" in source) return new Set();
  const { statements, scopes, lines } = source;
  const offset = lines.startOf(line) + column - 1;
  const loop = statements.findLast(({ node }) => node.start <= offset && offset < node.end)?.node;
  const isIn = ({ start }: { readonly start: number }): boolean =>
    loop !== undefined && loop.start <= start && start < loop.end;
  const written = scopes.references.filter((one) => one.isWrite && isIn(one.node));
  const declared = [...scopes.bindingOf].filter(([node]) => isIn(node));
  return new Set([...written, ...declared.map(([, binding]) => binding)].map(({ name }) => name));
}

function inOrder(loops: readonly SourceLoop[]): SourceLoop[] {
  return loops.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** Scopes have other numbers where the question has functions of its own. */
function keyOf(changed: ChangedName): string {
  return `${fileOf(changed)} ${changed.name}`;
}

function fileOf({ key }: ChangedName): string {
  return key.split(":")[0] ?? "";
}

function isHeld({ access }: ChangedName): boolean {
  return access !== "out-of-reach";
}

/** Anything else has no name of its own in the text: a field of a class, a setting of a package. */
function isVariable({ key, name }: ChangedName): boolean {
  return !key.startsWith("global:") && key.endsWith(`:${name}`) && /^[\p{L}\w$#]+$/u.test(name);
}

/** What the run's own text does not name is no part of it, wherever the question has it. */
function isMentioned(changed: ChangedName, files: readonly string[], before: ReadText): boolean {
  const name = isVariable(changed) ? changed.name : lastName(changed);
  if (name === undefined) return true;
  const word = new RegExp(`(?<![\\w$])${name.replaceAll(/\W/g, String.raw`\$&`)}(?![\\w$])`);
  const where = isVariable(changed) ? [fileOf(changed)] : files;
  return where.some((file) => word.test(before(file) ?? ""));
}

/** `calls` of what is said of a field, or of something that is there for every program. */
function lastName({ key, name }: ChangedName): string | undefined {
  const [, field, owner] =
    /^(?:(\S+) of a class or function|an attribute of the function (\S+) is changed)$/.exec(name) ??
    [];
  return (
    field ??
    owner ??
    (key.startsWith("global:") ? /^\S*?([\p{L}\w$#]+)$/u.exec(name)?.[1] : undefined)
  );
}

/** Whether only the question has a variable: it is no part of the run. */
function ownNames(
  text: ReadText,
  probes: readonly ProbePlace[],
): (changed: ChangedName) => boolean {
  const own = new Set<string>();
  for (const file of new Set(probes.map((probe) => probe.file))) {
    const source = languageOf(file).read(file, text(file) ?? "");
    if ("problem" in source) continue;
    const spans = probes.flatMap(({ file: at, line, column, end }) => {
      if (at !== file || !end) return [];
      const start = source.lines.startOf(line) + column - 1;
      return [{ start, end: source.lines.startOf(end.line) + end.column - 1 }];
    });
    const isIn = (offset: number): boolean =>
      spans.some(({ start, end }) => start <= offset && offset < end);
    const bindings = [...new Set(source.scopes.bindingOf.values())];
    const isNew = ({ declarations }: Binding): boolean =>
      declarations.every(({ start }) => isIn(start));
    // One of the run in another function is another variable.
    const reaches = ({ scope: { node } }: Binding): boolean =>
      spans.some(({ start }) => node.start <= start && start < node.end);
    const ofRun = new Set(
      bindings.filter((one) => !isNew(one) && reaches(one)).map(({ name }) => name),
    );
    for (const { name } of bindings.filter(isNew)) if (!ofRun.has(name)) own.add(`${file} ${name}`);
  }
  return (changed) => own.has(keyOf(changed));
}
