/**
 * @file What the loops of runs may be called in a question (decision 0051). A loop that shares its name
 * is recorded with its function (`train.i`); people say `i` as well, and `train.i` of one that is alone.
 * Runs of older rules know their loops by the recorded names only.
 */
import { calledLoop, LOOPS_BY_FUNCTION } from "../../format/index.ts";
import type { Connection } from "../database.ts";
import { textOf } from "../database.ts";
import { literal } from "../schema.ts";

/** A loop that a run has entered. */
interface EnteredLoop {
  readonly run: number;
  /** With the loops around it. */
  readonly chain: string;
  readonly loop: string;
  /** Null: it has no other name than the recorded one. */
  readonly function: string | null;
}

/** How one loop of one run may be called. */
interface LoopForm {
  readonly called: string;
  readonly full: string;
}

function formOf({ loop, function: around }: EnteredLoop): LoopForm {
  if (around === null) return { called: loop, full: loop };
  const called = calledLoop(loop);
  return { called, full: around === "" ? called : `${around}.${called}` };
}

export class LoopForms {
  readonly #entered: readonly EnteredLoop[];

  constructor(entered: readonly EnteredLoop[]) {
    this.#entered = entered;
  }

  /** All that a loop may be called. */
  get spellings(): string[] {
    const all = this.#entered.flatMap((one) => [one.loop, ...Object.values(formOf(one))]);
    return [...new Set(all)];
  }

  /** The recorded names of the loops that a word means; in other letters' case if none is spelled so. */
  meantBy(word: string): string[] {
    const exact = this.#spelled((name) => name === word);
    const small = word.toLowerCase();
    return exact.length > 0 ? exact : this.#spelled((name) => name.toLowerCase() === small);
  }

  #spelled(isMeant: (name: string) => boolean): string[] {
    const meant = this.#entered.filter((one) => {
      return [one.loop, ...Object.values(formOf(one))].some(isMeant);
    });
    return [...new Set(meant.map(({ loop }) => loop))];
  }

  /**
   * The columns of loops that stand in one frame, by shapes. Each is called as the program calls it; where
   * that leaves several loops of one run with the same name, their functions stand before it.
   */
  columnsOf(shapes: readonly string[]): (loop: string) => string {
    const chains = new Set(shapes.map((shape) => shape.replaceAll(/#\d+/g, "")));
    const here = this.#entered.filter(({ chain }) => chains.has(chain));
    const isAlone = (by: keyof LoopForm): ((one: EnteredLoop) => boolean) => {
      const known = new Map<string, string>();
      const shared = new Set<string>();
      for (const one of here) {
        const name = formOf(one)[by];
        const key = JSON.stringify([one.run, name]);
        if ((known.get(key) ?? one.loop) !== one.loop) shared.add(name);
        known.set(key, one.loop);
      }
      return (one) => !shared.has(formOf(one)[by]);
    };
    const [isPlain, isFull] = [isAlone("called"), isAlone("full")];
    const columns = new Map<string, Set<string>>();
    for (const one of here) {
      const { called, full } = formOf(one);
      const column = isPlain(one) ? called : isFull(one) ? full : one.loop;
      columns.set(one.loop, (columns.get(one.loop) ?? new Set()).add(column));
    }
    return (loop) => {
      const [column = loop, ...others] = columns.get(loop) ?? [];
      return others.length === 0 ? column : loop;
    };
  }
}

/** The loops that the runs of the index have entered, or one of them. */
export async function readLoopForms(connection: Connection, run?: string): Promise<LoopForms> {
  const only = run === undefined ? "" : ` AND r.run = ${literal(run)}`;
  const rows = await connection.rows(`SELECT DISTINCT e.no::DOUBLE AS run, e.loop,
      regexp_replace(e.shape, '#\\d+', '', 'g') AS chain,
      CASE WHEN r.loop_rules >= ${LOOPS_BY_FUNCTION} THEN s."function" END AS around
    FROM store.enters e JOIN store.runs r ON r.no = e.no AND r.kind <> 'replay'${only}
    LEFT JOIN store.sites s ON s.no = e.no AND s.site = e.site ORDER BY ALL`);
  return new LoopForms(
    rows.map((row) => ({
      run: Number(row["run"]),
      loop: String(row["loop"]),
      chain: String(row["chain"]),
      function: textOf(row, "around") ?? null,
    })),
  );
}
