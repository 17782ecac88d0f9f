/** Rewriting changes nothing that a program does, and marks exactly the breaks of its loops. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { analyzeProgram, rewriteSource } from "../../../src/languages/index.ts";
import { count } from "../../support/draws.ts";
import { Draws } from "./random-programs.ts";

const RUNS = count(250, { long: 5_000 });
const INSTRUMENT = Symbol.for("afterlog.instrument");

type Program = (require: () => object, print: (text: string) => void) => Promise<void>;
const AsyncFunction = (async (): Promise<void> => undefined).constructor as new (
  ...parts: string[]
) => Program;

/** What a break can leave: a loop by its name if it is recorded, or a switch. */
interface Target {
  readonly name: string | null;
  readonly label: string | null;
  readonly isSwitch?: true;
}

/** Nested loops of all kinds, left in all ways. Prints before each break which loop it leaves. */
class Writer {
  readonly #draws: Draws;
  #loops = 0;

  constructor(seed: number) {
    this.#draws = new Draws(seed);
  }

  program(): string {
    const body = Array.from({ length: 3 }, () => this.statement([], 0)).join("\n");
    return `const al = require("afterlog"); let n = 0, fuel = 300; const seen = [];
async function f(k) {
  if ((fuel -= 20) < 0) return 0;
  let own = k; const bump = () => { own++; };
  ${this.statement([], 1)}
  bump(); return own;
}
try { ${body} } catch (error) { print("failed " + error); }
print(n + " " + seen.join());`;
  }

  /** `around`: what a break can leave, innermost last. */
  statement(around: readonly Target[], depth: number): string {
    const inner = (): string => this.statement(around, depth + 1);
    const cases: readonly Target[] = [...around, { name: null, label: null, isSwitch: true }];
    const inCase = (): string => this.statement(cases, depth + 1);
    if (depth > 4) return `n += ${this.#draws.below(5)};`;
    const forms: (() => string)[] = [
      () => this.loop(around, depth, true),
      () => this.loop(around, depth, true),
      () => this.loop(around, depth, false),
      () => `{ n++; seen.push(n); }`,
      () => `if (n % 2) ${inner()} else ${inner()}`,
      () => `{ ${inner()} ${inner()} }`,
      () => `try { ${inner()} } finally { n += 2; }`,
      () => `switch (n % 3) { case 0: ${inCase()} break; default: ${inCase()} }`,
      () => `try { if (n % 5 === 1) throw new Error("x"); ${inner()} } catch { n += 3; }`,
      () => `if (n < 20) n += await f(n);`,
      () => `al.log("n", n);`,
    ];
    if (around.length > 0)
      forms.push(
        () => this.leave(around),
        () => this.leave(around),
      );
    const end = this.#draws.pick(["", "\n"]);
    return this.#draws.pick(forms)() + end;
  }

  leave(around: readonly Target[]): string {
    const target = this.#draws.pick(around);
    const innermost = around.at(-1);
    if (target.isSwitch) return target === innermost ? "if (n % 4 > 1) { n++; break; }" : "n++;";
    const isNear = target === innermost && this.#draws.below(2) === 0;
    const label = isNear ? "" : (target.label ?? "");
    if (label === "" && target !== innermost) return "n++;";
    if (this.#draws.below(3) === 0) return `if (n % 3 === 0) { n++; continue ${label}; }`;
    const said = target.name === null ? "" : `print("break ${target.name}");`;
    return `if (n % 4 > 1) { n++; ${said} break ${label}; }`;
  }

  loop(around: readonly Target[], depth: number, recorded: boolean): string {
    const number = this.#loops++;
    const label = this.#draws.below(2) === 0 ? `L${number}` : null;
    const name = recorded ? `loop${number}` : null;
    const within = [...around, { name, label }];
    const body = `${this.statement(within, depth + 1)} ${this.statement(within, depth + 1)}`;
    const spent = "if (fuel-- < 0) throw new Error('enough');";
    const before = label ? `${label}: ` : "";
    if (!recorded) {
      const head = this.#draws.pick([
        `for (let i${number} = 0; i${number} < 2; i${number}++)`,
        `for (const i${number} of [1, 2])`,
        `for (const i${number} in { a: 1, b: 2 })`,
      ]);
      return `${before}${head} { ${spent} ${body} }`;
    }
    const source = this.#draws.pick(["[1, 2, 3]", "al.range(3)", "new Set([1, 2])", "[]"]);
    const awaits = this.#draws.pick(["", "", " await"]);
    return `${before}for${awaits} (const i${number} of al.loop("${name}", ${source})) { ${spent} ${body} }`;
  }
}

const al = {
  loop: <T>(_: string, items: T): T => items,
  log: <T>(_: string, value: T): T => value,
  range: (stop: number): number[] => Array.from({ length: stop }, (_, index) => index),
};

async function outputOf(text: string, instrument?: object): Promise<string[]> {
  const printed: string[] = [];
  const known = globalThis as { [INSTRUMENT]?: object };
  if (instrument) known[INSTRUMENT] = instrument;
  try {
    const program = new AsyncFunction("require", "print", text);
    await program(
      () => al,
      (line) => printed.push(line),
    );
  } finally {
    delete known[INSTRUMENT];
  }
  return printed;
}

test("the same output, and a mark for each break", async () => {
  let breaks = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 32 - 1 }), async (seed) => {
      const text = new Writer(seed).program();
      const model = analyzeProgram("t.cjs", (file) => (file === "t.cjs" ? text : undefined));
      const rewritten = rewriteSource("t.cjs", text, model);
      expect(rewritten.split("\n").length).toBe(text.split("\n").length);
      const names = model.loops.map(({ name }) => name);
      const marks: string[] = [];
      type Accessor = readonly [string, () => unknown, ((value: unknown) => void)?];
      const bound: Accessor[] = [];
      const touch = (accessors: readonly Accessor[]): void => {
        for (const [, get, set] of [...accessors, ...bound]) set?.(get());
      };
      const instrument = (): object => ({
        off: [],
        full: [],
        plain: [],
        at: (index: number, accessors: () => readonly Accessor[]) => ({
          over: <T>(items: T): T => {
            touch(accessors());
            return items;
          },
          brk: () => marks.push(`break ${names[index]}`),
        }),
        bind: (_number: number, ...accessor: Accessor) => bound.push(accessor),
      });
      const plain = await outputOf(text);
      const seen = await outputOf(rewritten, instrument);
      expect(seen, rewritten).toEqual(plain);
      expect(await outputOf(rewritten), "where nobody listens").toEqual(plain);
      const said = plain.filter((line) => line.startsWith("break "));
      expect(marks, rewritten).toEqual(said);
      breaks += said.length;
    }),
    { numRuns: RUNS },
  );
  expect(breaks).toBeGreaterThan(RUNS / 20);
});
