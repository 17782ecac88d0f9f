/** @file `afterlog why RUN NAME [path]`: where a value comes from, and what its mark rests on. */
import pc from "picocolors";
import type { Provenance } from "../catalog/index.ts";
import { parseJson, readLoggedNames, readProvenance, unknownName } from "../catalog/index.ts";
import type { LoopPath, Manifest } from "../format/index.ts";
import { AfterlogError, formatPath, parsePath } from "../format/index.ts";
import type { ReplayDirective } from "../replayer/index.ts";
import { readManifest, storePaths } from "../store/index.ts";
import type { CliContext } from "./context.ts";
import { formatCount, formatTime } from "./format-units.ts";
import { rangesText } from "./plan-view.ts";
import { requireProject, withCatalog } from "./project.ts";
import { describeDifference } from "./replay-summary.ts";
import { exactValue } from "./replay-values.ts";
import { pathText } from "./replay-view.ts";
import { resolveRun, splitReference } from "../app/index.ts";

export async function whyCommand(
  context: CliContext,
  reference: string,
  name: string,
  given: string | undefined,
): Promise<number> {
  const { store } = requireProject(context);
  const { run: word, path: inReference } = splitReference(reference);
  const path = pathOf(given ?? inReference);
  const found = await withCatalog(context, async ({ connection }) => {
    const run = await resolveRun(connection, word);
    const asked = { run, name, path: path === null ? null : formatPath(path) };
    const list = await readProvenance(connection, asked);
    if (list.count > 0) return list;
    throw await noValue(asked, () => readLoggedNames(connection));
  });
  const [value] = found.values;
  if (!value) return 1;
  const source = readManifest(storePaths.run(store, value.source));
  const directive = source.kind === "replay" ? (source.directive as ReplayDirective) : null;
  if (context.json) {
    context.out(`${JSON.stringify(whyObject(value, source, directive), undefined, 2)}\n`);
    return 0;
  }
  context.out(new Explanation(value, source, directive, context.color).text());
  if (found.count > 1) {
    const more = `${formatCount(found.count)} values of ${name}; this is the last`;
    context.err(`${more}: add a path for another, e.g.  epoch=3\n`);
  }
  return 0;
}

function pathOf(text: string | undefined): LoopPath | null {
  if (text === undefined) return null;
  const path = parsePath(text);
  if (path) return path;
  throw new AfterlogError("AL001", `${JSON.stringify(text)} is not a path of loops`, {
    help: ["a path looks like  epoch=3,step=17"],
  });
}

async function noValue(
  asked: { readonly run: string; readonly name: string; readonly path: string | null },
  known: () => Promise<readonly string[]>,
): Promise<AfterlogError> {
  const names = await known();
  if (!names.includes(asked.name)) return unknownName(asked.name, names);
  const where = asked.path === null ? "" : ` at ${asked.path || "the top level"}`;
  return new AfterlogError("AL021", `${asked.run} has no value of ${asked.name}${where}`, {
    help: [
      `see what it has:  afterlog frame ${asked.name} --where "run = '${asked.run}'"`,
      `or fill it in:  afterlog replay ${asked.name} --where "run = '${asked.run}'"`,
    ],
    data: asked,
  });
}

function valueOf({ type, number, text, value }: Provenance): unknown {
  if (type === "number") return number;
  if (type === "text") return text;
  return value === null ? null : parseJson(value);
}

function whyObject(value: Provenance, source: Manifest, directive: ReplayDirective | null): object {
  return {
    run: value.run,
    name: value.name,
    path: value.path,
    value: valueOf(value),
    origin: value.origin,
    check: value.check,
    file: value.file,
    line: value.line,
    source: value.source,
    commit: source.version?.commit ?? null,
    when: source.started,
    replay: directive,
  };
}

class Explanation {
  readonly #value: Provenance;
  readonly #source: Manifest;
  readonly #directive: ReplayDirective | null;
  readonly #colors: ReturnType<typeof pc.createColors>;

  constructor(
    value: Provenance,
    source: Manifest,
    directive: ReplayDirective | null,
    color: boolean,
  ) {
    this.#value = value;
    this.#source = source;
    this.#directive = directive;
    this.#colors = pc.createColors(color);
  }

  text(): string {
    const { bold, dim } = this.#colors;
    const { name, run, path } = this.#value;
    const place = pathText(parsePath(path) ?? []);
    const title = `${bold(name)} @ ${place} of ${run}  =  ${bold(exactValue(valueOf(this.#value)))}`;
    const facts = [
      ["from", this.#from()],
      ["statement", this.#statement()],
      ["version", this.#version()],
      ...(this.#directive ? this.#replay(this.#directive) : []),
    ].filter(([, text]) => text !== "");
    const lines = facts.map(([label = "", text = ""]) => `${dim(label.padEnd(10))}  ${text}`);
    return `${[title, ...lines].join("\n")}\n`;
  }

  #from(): string {
    const when = formatTime(new Date(this.#source.started));
    const { origin, source } = this.#value;
    if (!this.#directive) return `${origin} by the run itself, ${when}`;
    return `${this.#colors.green("hindsight")}: replay ${this.#directive.replay}, ${when}, in ${source}`;
  }

  #statement(): string {
    const { file, line, name } = this.#value;
    if (file === null) return "";
    const known = this.#directive?.statements.find((statement) => {
      return statement.name === name && statement.file === file && statement.line === line;
    });
    return `${file}:${line}${known ? `  ${known.text.split("\n")[0]}` : ""}`;
  }

  #version(): string {
    const commit = this.#source.version?.commit.slice(0, 7);
    if (commit === undefined) return "not kept";
    return this.#directive ? `${commit}, with the statement added` : commit;
  }

  #replay(directive: ReplayDirective): string[][] {
    const { scan, ranges, from_checkpoint: from, compared, first_difference: first } = directive;
    const all = compared.equal + compared.close + compared.different;
    const mark = this.#value.check ?? "unchecked";
    const equal = `${formatCount(compared.equal)} of ${formatCount(all)}`;
    const rests =
      all === 0 ? "nothing was compared" : `${equal} values on the way equal the record`;
    return [
      ["scan", `${scan}, ${rangesText(ranges)}`],
      ["restored", from === null ? "nothing: executed from the start" : from],
      ["gpu", directive.gpu ?? ""],
      ["check", `${this.#paint(mark)}: ${rests}`],
      ["", first === null ? "" : `first difference: ${describeDifference(first)}`],
    ];
  }

  #paint(mark: string): string {
    const { green, yellow, red } = this.#colors;
    if (mark === "verified") return green(mark);
    return mark === "diverged" ? red(mark) : yellow(mark);
  }
}
