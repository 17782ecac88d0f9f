/**
 * @file What a reader must know of the values of a frame. Where one name holds values of several statements: a statement
 * that was changed, and asked for again in a part of the runs or iterations only, leaves the values of the older one in
 * the rest. Each of them is right; side by side they are not what one formula gives. And where versions compute otherwise
 * what the question reads.
 */
import type { Connection } from "../../catalog/index.ts";
import { literal, readArgTypes, readLoggedNames, valueColumn } from "../../catalog/index.ts";
import type { Plan, PlannedStatement } from "../../format/index.ts";
import type { ReplayDirective } from "../../replayer/index.ts";
import { readManifest, storePaths } from "../../store/index.ts";

/** A note for each of the names that is mixed. Values that a run recorded itself are not looked at. */
export async function mixedNotes(
  connection: Connection,
  store: string,
  names: readonly string[],
): Promise<string[]> {
  const list = names.map((name) => literal(name)).join(", ");
  const rows = await connection.rows(
    `SELECT DISTINCT name, run, source FROM frame WHERE origin = 'hindsight' AND name IN (${list})`,
  );
  if (rows.length === 0) return [];
  const { readPlan } = await import("../../replayer/index.ts");
  const read = new StatementReader(store, (replay) => readPlan(store, replay));
  const filled = rows.map((row) => {
    const [name, run] = [String(row["name"]), String(row["run"])];
    return { name, run, ...read.of(String(row["source"]), name) };
  });
  return names.flatMap((name) => {
    const own = filled.filter((one) => one.name === name);
    const asked = [...new Set(own.flatMap(({ asked: text }) => text ?? []))];
    if (asked.length > 1) {
      const shown = asked.slice(0, SHOWN).join(" and ");
      return [`${name} holds values of ${asked.length} statements: ${shown}`];
    }
    // A helper that was changed, or a decision about where it stands.
    const mixed = own.filter(({ run, landed }) => {
      return own.some((other) => other.run === run && other.landed !== landed);
    });
    const runs = new Set(mixed.map(({ run }) => run)).size;
    if (runs === 0) return [];
    const where = runs === 1 ? "1 run" : `${runs} runs`;
    return [`${name} holds values of a statement that stood or computed otherwise, in ${where}`];
  });
}

/**
 * A note for each way in which versions compute otherwise what the question reads: a mark says that a version was
 * executed as it was, not that it computes what the newest one does.
 */
export async function differingNotes(
  connection: Connection,
  names: readonly string[],
): Promise<string[]> {
  const list = names.map((name) => literal(name)).join(", ");
  const rows = await connection.rows(
    `SELECT array_to_string(differs, '; ') AS said, count(DISTINCT run)::DOUBLE AS runs,
       string_agg(DISTINCT name, ', ' ORDER BY name) AS names
     FROM frame WHERE origin = 'hindsight' AND len(differs) > 0 AND name IN (${list})
     GROUP BY said ORDER BY runs DESC, said LIMIT ${SHOWN}`,
  );
  return rows.map((row) => {
    const runs = row["runs"] === 1 ? "1 run" : `${String(row["runs"])} runs`;
    return `${String(row["names"])} in ${runs}: ${String(row["said"])}`;
  });
}

/** A note for each column of the runs themselves that a program also logged, or was given. */
export async function ownNotes(
  connection: Connection,
  names: readonly string[],
): Promise<string[]> {
  const isOther = (kind: "arg" | "log", name: string): boolean => valueColumn(kind, name) !== name;
  if (!names.some((name) => isOther("log", name))) return [];
  const values = [
    ...(await readArgTypes(connection)).keys(),
    ...(await readLoggedNames(connection)),
  ];
  return names.flatMap((name) => {
    const kinds = (["arg", "log"] as const).filter((kind) => isOther(kind, name));
    const columns = kinds.map((kind) => valueColumn(kind, name));
    const own = columns.filter((column) => values.includes(column));
    return own.length === 0
      ? []
      : [`${name} is that of the run; the program's is ${own.join(", ")}`];
  });
}

/** Statements that a note quotes. */
const SHOWN = 3;

/** What replays put into the sources of runs, each file read once. */
class StatementReader {
  readonly #store: string;
  readonly #readPlan: (replay: string) => Plan;
  readonly #directives = new Map<string, ReplayDirective | null>();
  readonly #asked = new Map<string, readonly PlannedStatement[]>();

  constructor(store: string, readPlan: (replay: string) => Plan) {
    this.#store = store;
    this.#readPlan = readPlan;
  }

  /** As it was asked for, and as it stood in the source of the run. */
  of(source: string, name: string): { readonly asked: string | null; readonly landed: string } {
    const directive = cached(this.#directives, source, () => this.#directive(source));
    const asked = directive
      ? cached(this.#asked, directive.replay, () => this.#plan(directive.replay))
      : [];
    const isOwn = (statement: PlannedStatement): boolean => statement.name === name;
    const texts = asked.filter(isOwn).map(({ text }) => text);
    const landed = directive?.statements.filter(isOwn) ?? [];
    return {
      asked: texts.length === 0 ? null : [...new Set(texts)].sort().join("; "),
      landed: JSON.stringify(
        landed.map(({ file, anchor = null, text, carried = [] }) => [file, anchor, text, carried]),
      ),
    };
  }

  /** What cannot be read has its own warning elsewhere. */
  #directive(source: string): ReplayDirective | null {
    try {
      const { directive } = readManifest(storePaths.run(this.#store, source));
      return isReplay(directive) ? directive : null;
    } catch {
      return null;
    }
  }

  #plan(replay: string): readonly PlannedStatement[] {
    try {
      return this.#readPlan(replay).statements;
    } catch {
      return [];
    }
  }
}

function isReplay(directive: unknown): directive is ReplayDirective {
  if (typeof directive !== "object" || directive === null) return false;
  return "statements" in directive && Array.isArray(directive.statements);
}

function cached<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
