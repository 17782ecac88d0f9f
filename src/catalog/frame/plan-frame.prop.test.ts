import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { LogBuilder } from "../../../test/support/make-runs.ts";
import { makeRun } from "../../../test/support/make-runs.ts";
import type { NaiveStore } from "../../../test/catalog/naive-frame.ts";
import { naiveFrame } from "../../../test/catalog/naive-frame.ts";
import { openCatalog } from "../catalog.ts";
import { planFrame } from "./plan-frame.ts";

type Statement =
  | { readonly kind: "log"; readonly name: string; readonly value: number | null }
  | { readonly kind: "loop"; readonly loop: string; readonly items: Items; readonly body: Program };
type Items = number | { start: number; step: number; length: number } | readonly number[];
type Program = readonly Statement[];

const LOOPS = ["epoch", "step", "eval loop"];
const NAMES = ["loss", "acc", 'odd "name'];

const { program } = fc.letrec<{ program: Program; statement: Statement }>((tie) => ({
  program: fc.array(tie("statement"), { maxLength: 4, depthIdentifier: "loops" }),
  statement: fc.oneof(
    { maxDepth: 3, depthIdentifier: "loops" },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("log" as const),
        name: fc.constantFrom(...NAMES),
        value: fc.oneof({ weight: 5, arbitrary: fc.integer() }, fc.constant(null)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("loop" as const),
        loop: fc.constantFrom(...LOOPS),
        items: fc.oneof(
          fc.integer({ min: 0, max: 3 }),
          fc.record({
            start: fc.integer({ min: 0, max: 2 }),
            step: fc.integer({ min: 1, max: 2 }),
            length: fc.integer({ min: 1, max: 2 }),
          }),
          fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 }),
        ),
        body: tie("program"),
      }),
    },
  ),
}));

/** Executes a program on the log and on the naive store alike. */
function execute(run: string, body: Program, log: LogBuilder, into: NaiveStore): void {
  for (const statement of body) {
    if (statement.kind === "log") {
      log.log(statement.name, statement.value);
      const { name, value } = statement;
      into.values.push({ run, path: log.path, name, value, seq: log.seq });
    } else {
      const { items } = statement;
      into.entered.push([...log.path.map(([loop]) => loop), statement.loop]);
      log.loop(statement.loop, items, (index) => {
        into.items.push({ run, path: log.path, value: itemOf(items, index) });
        execute(run, statement.body, log, into);
      });
    }
  }
}

function itemOf(items: Items, index: number): number | undefined {
  if (typeof items === "number") return index;
  return "start" in items ? items.start + items.step * index : items[index];
}

/** A loop nested in one of the same name has a column of its own: not in this comparison. */
function nestsItself(body: Program, outer: readonly string[] = []): boolean {
  return body.some(
    (s) => s.kind === "loop" && (outer.includes(s.loop) || nestsItself(s.body, [...outer, s.loop])),
  );
}

test("the frame is what its definition says", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        program.filter((body) => !nestsItself(body)),
        { minLength: 1, maxLength: 3 },
      ),
      fc.subarray(NAMES, { minLength: 1 }),
      fc.constantFrom(undefined, "run", ...LOOPS),
      async (programs, wanted, grain) => {
        const folder = mkdtempSync(join(tmpdir(), "afterlog-frame-"));
        const store = join(folder, ".afterlog");
        const into: NaiveStore = { values: [], items: [], entered: [] };
        programs.forEach((body, at) => {
          const run = `run-${at + 1}`;
          makeRun(store, { run, body: (log) => execute(run, body, log, into) });
        });
        const logged = new Set(into.values.map((value) => value.name));
        const loops = new Set(into.entered.flat());
        const names = wanted.filter((name) => logged.has(name));
        const isKnown = grain === undefined || grain === "run" || loops.has(grain);
        const catalog = await openCatalog(store);
        try {
          if (names.length === 0 || !isKnown) return;
          const frame = await planFrame(catalog.connection, { names, grain });
          const rows = await catalog.connection.rows(frame.sql);
          const keys = frame.columns.map((column) => column.key);
          const expected = naiveFrame(into, names, grain);
          expect(rows).toEqual(
            expected.map((row) => Object.fromEntries(keys.map((key) => [key, row[key] ?? null]))),
          );
        } finally {
          catalog.close();
          rmSync(folder, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: Number(process.env["AFTERLOG_PROPERTY_RUNS"] ?? 40) },
  );
});
