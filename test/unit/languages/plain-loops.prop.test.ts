/**
 * Random programs of plain loops: rewritten they do what they did, and a loop that is begun at any
 * of its boundaries, with the state that it had there, ends as it did.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { count } from "../../support/draws.ts";
import type { Accessor, PlainLoop } from "./plain-instrument.ts";
import { CountingLoop, outputOf, rewriteHandsFree } from "./plain-instrument.ts";
import { Draws } from "./random-programs.ts";

const RUNS = count(200, { long: 5_000 });

/** Loops of all forms over a few numbers, nested, left in all ways. */
class Writer {
  readonly #draws: Draws;
  #loops = 0;

  constructor(seed: number) {
    this.#draws = new Draws(seed);
  }

  program(): string {
    const body = Array.from({ length: 3 }, () => this.loop([], 0)).join("\n");
    return `let a = 1, b = 2, fuel = 400; const seen = [];
const spend = () => { if (fuel-- < 0) throw new Error("enough"); return true; };
function f(k) { let own = k; ${this.loop([], 3)} return own % 7; }
try { ${body} } catch (error) { print("failed " + error.message); }
print(a + " " + b + " " + seen.length);`;
  }

  statement(around: readonly string[], depth: number): string {
    const inner = (): string => this.statement(around, depth + 1);
    const simple = this.#draws.pick(["a += 3;", "b = a % 5;", "a++, b--;", "seen.push(a);"]);
    if (depth > 4) return simple;
    const forms: (() => string)[] = [
      () => simple,
      () => this.loop(around, depth),
      () => this.loop(around, depth),
      () => `if (a % 2) ${inner()} else ${inner()}`,
      () => `{ let c = a; ${inner()} b += c; }`,
      () => `switch (a % 3) { case 0: ${simple} break; default: ${simple} }`,
      () => `a += f(b);`,
      () => `b += await a;`,
    ];
    if (around.length > 0) forms.push(() => this.leave(around));
    return this.#draws.pick(forms)() + this.#draws.pick(["", "\n"]);
  }

  leave(around: readonly string[]): string {
    const label = this.#draws.pick(["", this.#draws.pick(around)]);
    return `if (a % 4 === 1) { a++; ${this.#draws.pick(["break", "continue"])} ${label}; }`;
  }

  loop(around: readonly string[], depth: number): string {
    const number = this.#loops++;
    const [label, i] = [`L${number}`, `i${number}`];
    // In a function nothing is awaited, and nothing is left that is around it.
    const within = [...(depth < 3 ? around : []), label];
    const statement = (): string =>
      depth < 3
        ? this.statement(within, depth + 1)
        : this.#draws.pick(["own += a;", "own++, b++;"]);
    const copies = this.#draws.pick(["", "", `seen.push(() => ${i});`]);
    const times = 1 + this.#draws.below(4);
    const counted = `${i}++ < ${times} && spend()`;
    const body = `{ ${statement()} ${statement()} }`;
    const head = `${label}: `;
    switch (this.#draws.below(7)) {
      case 0:
        return `{ let ${i} = 0; ${head}while (${counted}) ${body} }`;
      case 1:
        return `{ let ${i} = 0; ${head}do ${body} while (${counted}) }`;
      case 2:
        return `${head}for (const ${i} of [1, 2, 3]) { spend(); ${statement()} }`;
      case 3:
        return `${head}for (let ${i} = 0; spend() && ${i} < ${times}; ${i}++) { ${copies} ${statement()} }`;
      case 4:
        return `${head}for (var ${i} = b % 3; spend(); ${i} += 2) { if (${i} > 6) break; ${statement()} }`;
      case 5:
        return `{ let ${i}; ${head}for (${i} = 3; spend() && ${i}--; ) ${statement()} }`;
      default:
        return `${head}for (let ${i} = 0, k = a; spend() && ${i} < ${times}; ${i}++, k++) { b += k % 3; ${statement()} }`;
    }
  }
}

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test("the same output, however many iterations go by", async () => {
  let iterations = 0;
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const text = new Writer(seed).program();
      const { text: rewritten } = rewriteHandsFree(text, true);
      const plain = await outputOf(text);
      expect(await outputOf(rewritten), "where nobody listens").toEqual(plain);
      const quotas = new Draws(seed);
      const loops: CountingLoop[] = [];
      const counted = async (quota: () => number): Promise<string[]> => {
        loops.length = 0;
        const printed = await outputOf(rewritten, (site, accessors) => {
          const loop = new CountingLoop(site, accessors, quota);
          loops.push(loop);
          return loop;
        });
        expect(printed, rewritten).toEqual(plain);
        return loops.map((loop) => `${loop.name} ${loop.iterations} ${loop.ended}`);
      };
      const exact = await counted(() => 0);
      const once = (site: readonly unknown[], accessors: () => readonly Accessor[]): object =>
        new CountingLoop(site, accessors, () => 0);
      expect(await outputOf(rewritten, once, true), rewritten).toEqual(plain);
      expect(await counted(() => quotas.below(4)), rewritten).toEqual(exact);
      iterations += loops.reduce((sum, loop) => sum + loop.iterations, 0);
    }),
    { numRuns: RUNS },
  );
  expect(iterations).toBeGreaterThan(RUNS * 10);
});

type Saved = ReadonlyMap<string, unknown>;

/** Goes through one loop of the program, the `entered`-th, saving or restoring its boundaries. */
class Boundaries {
  readonly saved: Saved[] = [];
  readonly #begin: Saved | undefined;
  readonly #wanted: number;
  #entered = 0;

  constructor(wanted: number, begin?: Saved) {
    this.#wanted = wanted;
    this.#begin = begin;
  }

  at(accessors: () => readonly Accessor[]): object {
    const idle = new CountingLoop(
      [],
      () => [],
      () => 1000,
    );
    if (this.#entered++ !== this.#wanted) return idle;
    let seen: (() => readonly Accessor[]) | undefined;
    const lent = (): readonly Accessor[] => [...accessors(), ...(seen?.() ?? [])];
    let isBegun = false;
    const loop: Partial<PlainLoop> = {
      n: 0,
      m: false,
      see: (more) => (seen = more),
      brk: () => undefined,
      next: () => {
        if (!this.#begin || isBegun) this.#save(lent());
        else for (const [key, , set] of lent()) set?.(this.#begin.get(key));
        isBegun = true;
        return true;
      },
      go: () => true,
      end: () => false,
      body: () => this.#begin === undefined || isBegun,
      leave: () => undefined,
    };
    return loop;
  }

  #save(accessors: readonly Accessor[]): void {
    this.saved.push(new Map(accessors.map(([key, get]) => [key, get()])));
  }
}

test("a loop goes on from each of its boundaries as it did", async () => {
  let resumed = 0;
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const draws = new Draws(seed);
      const times = 2 + draws.below(4);
      const [step, test] = draws.pick([
        ["for (let i = 0; TEST; i += 1 + (a % 2))", "i < N && (b += i) > -1"],
        ["for (var i = a % 3, k = 0; TEST; i++, k += i)", "i < N + (k % 2)"],
        ["let i = N; while (TEST)", "i-- > 0"],
        ["let i = 0, k = 0; for (k = 2; TEST; k *= 3)", "i++ < N || k % 7 === 6"],
        ["let i = 0; do BODY while (TEST)", "(a += i, ++i < N)"],
        ["let i = 0; for (; ; i++)", ""],
        ["for (let i = 0; TEST; i++)", "((j) => j < N)(i)"],
      ] as const);
      const body = draws.pick([
        "{ a = (a * 31 + b) % 101; b += i; }",
        "{ for (let j = 0; j < 3; j++) { a += j * b; b = a % 13; } if (a % 5 === 0) continue; b--; }",
        "{ const d = a; add(i); while (b > 40) b -= 7; a = (a + d) % 57; }",
        "{ if (a % 17 === 3) break; [a, b] = [b % 50, (a + i) % 50]; await 0; }",
      ]);
      const limited = test === "" ? body.replace("{", "{ if (i >= N) break;") : body;
      const statement = step.includes("BODY")
        ? step.replace("BODY", limited)
        : `${step} ${limited}`;
      const text = `let a = ${draws.below(50)}, b = ${draws.below(50)}, N = ${times};
const add = (k) => { a += k; b ^= a; };
${statement.replace("TEST", test)}
print(a + " " + b);`;
      const { text: rewritten, model } = rewriteHandsFree(text);
      const changes = model.loops[0]?.changes ?? [];
      expect(changes.filter(({ access }) => access !== "name")).toEqual([]);
      const plain = await outputOf(text);
      const saving = new Boundaries(0);
      const whole = await outputOf(rewritten, (_, accessors) => saving.at(accessors));
      expect(whole, rewritten).toEqual(plain);
      for (const [index, begin] of saving.saved.entries()) {
        const going = new Boundaries(0, begin);
        const rest = await outputOf(rewritten, (_, accessors) => going.at(accessors));
        expect(rest, `from boundary ${index} of ${text}`).toEqual(plain);
        expect(going.saved.length).toBe(saving.saved.length - 1 - index);
        resumed++;
      }
    }),
    { numRuns: RUNS },
  );
  expect(resumed).toBeGreaterThan(RUNS);
});
