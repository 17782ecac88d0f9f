/** Plain loops, rewritten: odd programs do what they did, and each iteration is seen. */
import { describe, expect, test } from "vitest";
import type { Accessor } from "./plain-instrument.ts";
import { CountingLoop, outputOf, rewriteHandsFree } from "./plain-instrument.ts";

/** Loops by name with the number of their iterations and their end, in the order of entering. */
async function seen(
  text: string,
  quota: () => number,
  isPlain = false,
): Promise<[string[], string]> {
  const loops: CountingLoop[] = [];
  const made = (site: readonly unknown[], accessors: () => readonly Accessor[]): CountingLoop => {
    const loop = new CountingLoop(site, accessors, quota);
    loops.push(loop);
    return loop;
  };
  const printed = await outputOf(text, made, isPlain);
  return [printed, loops.map((loop) => `${loop.name} ${loop.iterations} ${loop.ended}`).join(", ")];
}

const PROGRAMS: readonly (readonly [what: string, text: string, loops: string])[] = [
  [
    "no blanks",
    "for(const x of[1,2])print(x);for(let i=0;i<1;i++)print(i);do{print(3)}while(0);for(const y of'a')print(y);if(0)for(;;);else for(const[z]of[[1]])print(z)",
    "x 2 exhausted, i 1 exhausted, do 1 exhausted, y 1 exhausted, z 1 exhausted",
  ],
  ["for", "for (let i = 0; i < 3; i++) print(i);", "i 3 exhausted"],
  ["while", "let n = 3; while (n) print(n--);", "while 3 exhausted"],
  ["do", "let n = 0; do print(n++); while (n < 3);", "do 3 exhausted"],
  ["a do that runs once", "do print(1); while (false)\nprint(2)", "do 1 exhausted"],
  ["do and a block", "let n = 0; do{ n++ }while(n < 2) print(n)", "do 2 exhausted"],
  ["for of", "for (const x of [4, 5]) print(x);", "x 2 exhausted"],
  ["for await", "for await (const x of [4, Promise.resolve(5)]) print(x);", "x 2 exhausted"],
  [
    "nothing to do",
    "for (let i = 0; i < 0; i++) print(i); while (0) print(1);",
    "i 0 exhausted, while 0 exhausted",
  ],
  [
    "a label and continue",
    "out: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) continue out; print(i + ',' + j); } }",
    "i 3 exhausted, j 2 jump, j 2 jump, j 2 jump",
  ],
  [
    "a label and break",
    "out: for (let i = 0; i < 3; i++) for (;;) { print(i); if (i) break out; else break; }",
    "i 2 break, for 1 break, for 1 jump",
  ],
  [
    "two labels",
    "a: b: while (true) { print(1); if (Math.abs(-1)) break a; continue b; }",
    "while 1 break",
  ],
  [
    "a label around a block",
    "a: { for (const x of [1, 2]) { print(x); break a; } print('no'); }",
    "x 1 jump",
  ],
  [
    "a break of a switch",
    "for (let i = 0; i < 3; i++) switch (i) { case 1: break; default: print(i); if (i === 2) continue; }",
    "i 3 exhausted",
  ],
  [
    "a closure over the head",
    "const f = []; for (let i = 0; i < 3; i++) f.push(() => i); print(f.map((g) => g()));",
    "i 3 exhausted",
  ],
  [
    "a closure that changes its copy",
    "const f = []; for (let i = 0; i < 6; i++) { f.push(() => i++); i++; f[0](); } print(f.map((g) => g()));",
    "i 3 exhausted",
  ],
  [
    "a closure of the test",
    "let last; for (let i = 0; (last = () => i), i < 3; i++); print(last());",
    "i 3 exhausted",
  ],
  [
    "a closure of the beginning",
    "for (let i = 0, g = () => i; i < 2; i++) print(g());",
    "i 2 exhausted",
  ],
  [
    "a method over the head",
    "for (let i = 0; i < 2; i++) print({ get() { return i; } }.get());",
    "i 2 exhausted",
  ],
  ["no test", "for (let i = 0; ; i++) { print(i); if (i > 1) break; }", "i 3 break"],
  ["no beginning", "let i = 0; for (; i < 2; i++) print(i);", "for 2 exhausted"],
  ["nothing in the head", "let n = 0; for (;;) if (n++ > 1) break; print(n);", "for 3 break"],
  [
    "a comment for a head",
    "let n = 0; for (/* a; b */ ; /* c */ ; /* ; */) if (n++ > 1) break; print(n);",
    "for 3 break",
  ],
  [
    "a sum in a loop that is left as it is",
    "for (let a = 0; a < 2; a++) { let t = a; for (let b = 0; b < 2; b++) { for (let c = 0; c < 3; c++) t += c * 0.5; } print(t); }",
    "a 2 exhausted, b 2 exhausted, b 2 exhausted",
  ],
  [
    "the same, left by a label, a throw and a return",
    `let t = 0, u = 1;
    out: for (let a = 0; a < 4; a++) {
      for (let b = 0; b < 2; b++) {
        try {
          in3: for (let c = 0; c < 9; c++) { t += 0.5; for (;;) { u += t; if (u > 3) break in3; if (c > 1) throw u; break; } if (a === 3) break out; }
        } catch { t += 100; }
        print(t + u);
      }
      const f = (n) => { let s = 0; for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) { s += k; if (s > 4) return s; } return -s; };
      print(f(a));
    }
    print([t, u]);`,
    "a 4 exhausted, b 2 exhausted, i 0 exhausted, b 2 exhausted, i 1 exhausted, b 2 exhausted, i 2 exhausted, b 2 exhausted, i 1 jump",
  ],
  [
    "the same, with a variable that is not declared yet",
    `function f(n, from) {
      for (const a of [1]) for (const b of [1]) {
        switch (from) { case 0: let t = 1; case 1: for (let c = 0; c < n; c++) t += c; }
        for (let c = 0; c < n; c++) u += c;
        let u = 1;
        return u;
      }
    }
    print(f(0, 1));
    for (const from of [0, 1]) try { f(1, from); } catch (e) { print(e.message); }`,
    "a 1 jump, b 1 jump, from 2 exhausted, a 1 jump, b 1 jump, a 1 jump, b 1 jump",
  ],
  ["commas", "for (let i = 0, j = 9; i < j; i += 2, j--) print(i + j);", "i 3 exhausted"],
  ["var", "for (var i = 0, n = 3; i < n; i++) { var last = i; } print(i + last);", "i 3 exhausted"],
  [
    "var twice",
    "for (var i = 0; i < 1; i++); for (var i = 0; i < 2; i++); print(i);",
    "i 1 exhausted, i_2 2 exhausted",
  ],
  ["const", "for (const i = 0, k = { n: 0 }; k.n < 2; k.n++) print(i);", "i 2 exhausted"],
  ["an assignment", "let i; for (i = 0; i < 2; i++); print(i);", "i 2 exhausted"],
  [
    "assignments in parentheses",
    "let i, j; for ((i = 0), (j = 1); (i < 2); (i++)); print(i + j);",
    "i 2 exhausted",
  ],
  [
    "an object pattern at the beginning",
    "let a; for ({ a } = { a: 1 }; a < 3; a++) print(a);",
    "for 2 exhausted",
  ],
  ["an array pattern", "for (let [a, b] = [0, 2]; a < b; a++) print(a);", "a 2 exhausted"],
  ["in", "for (let i = ('a' in { a: 1 }) ? 0 : 9; i < 2; i++) print(i);", "i 2 exhausted"],
  ["a beginning without a value", "for (let i; (i ??= 0) < 2; i++) print(i);", "i 2 exhausted"],
  [
    "await in the test",
    "let n = 0; while (await Promise.resolve(n++ < 2)) print(n); for (let i = await 0; i < (await 2); i += await 1) print(i);",
    "while 2 exhausted, i 2 exhausted",
  ],
  [
    "a test with an effect",
    "const xs = [1, 2, 3]; let x; while ((x = xs.pop()) !== undefined) print(x);",
    "while 3 exhausted",
  ],
  ["an assignment as a test", "let n = 3, m; while (m = --n) print(m);", "while 2 exhausted"],
  [
    "a sequence as a test",
    "let n = 0; while (n++, n < 3) print(n); do n--; while ((print(n), n > 0));",
    "while 2 exhausted, do 3 exhausted",
  ],
  [
    "an arrow as a test",
    "let f, n = 0; while (n++ < 2 && (f = x => x)) print(f(n));",
    "while 2 exhausted",
  ],
  [
    "a test of several lines",
    "let n = 0\nwhile (\n  // so far\n  n < 2 // and\n  && n >= 0 // so on\n) {\n  n++\n}\nprint(n)",
    "while 2 exhausted",
  ],
  [
    "a head of several lines",
    "for (\n  // one\n  let i = 0, // two; three\n    j = 1; /* four ; */\n  i < 2; // five\n  i++ // six )\n) /* seven */ print(i + j)",
    "i 2 exhausted",
  ],
  [
    "an expression of several lines",
    "let i\nfor (\n  i = 0 // so\n  ; i < 2 // and\n  ; i++\n) print(i)",
    "i 2 exhausted",
  ],
  [
    "if and else without braces",
    "for (let k = 0; k < 2; k++) if (k) for (let i = 0; i < 1; i++) print(i); else while (false); ",
    "k 2 exhausted, while 0 exhausted, i 1 exhausted",
  ],
  [
    "else that belongs to the inner if",
    "let n = 0; if (true) do if (n) print('a'); else print('b'); while (n++ < 1); else print('c');",
    "do 2 exhausted",
  ],
  [
    "loops of one statement",
    "for (const a of [1]) for (let b = 0; b < 1; b++) while (b < 1) do print(b++); while (false)",
    "a 1 exhausted, b 1 exhausted, while 1 exhausted, do 1 exhausted",
  ],
  [
    "breaks of one statement",
    "for (const a of [1]) for (let b = 0; b < 1; b++) while (true) break\nprint(1)",
    "a 1 exhausted, b 1 exhausted",
  ],
  [
    "no semicolons",
    "let n = 0\nwhile (n < 2)\n  n++\nfor (let i = 0; i < 1; i++)\n  n++\ndo\n  n++\nwhile (n < 5)\nprint(n)",
    "while 2 exhausted, i 1 exhausted, do 2 exhausted",
  ],
  [
    "no body",
    "let n = 0; while (n++ < 2); for (let i = 0; i < 2; i++);\nprint(n)",
    "while 2 exhausted, i 2 exhausted",
  ],
  [
    "of as a name",
    "for (let of of [1]) print(of); for (let async of [2]) print(async); for (const of = 0; ; ) { print(of); break; }",
    "of 1 exhausted, async 1 exhausted, of_2 1 break",
  ],
  [
    "async arrows in heads",
    "for (let f = async (of) => of, n = 0; n < 1; n++) print(await f(n)); for (async of => 1; false;);",
    "f 1 exhausted, for 0 exhausted",
  ],
  [
    "an assigned item",
    "const o = {}; let x; for (o.x of [1, 2]); for ([x] of [[3]]); for (x of 'ab') print(x); print(o.x);",
    "for 2 exhausted, for_2 1 exhausted, x 2 exhausted",
  ],
  ["a sequence as items", "for (const x of (print(1), [2])) print(x);", "x 1 exhausted"],
  [
    "what is no iterable",
    "try { for (const x of 3) print(x); } catch (e) { print(e.constructor.name); }",
    "x 0 jump",
  ],
  [
    "a generator",
    "function* g() { for (let i = 0; i < 2; i++) yield i; } for (const x of g()) print(x);",
    "x 2 exhausted",
  ],
  [
    "a generator that prepares",
    "function* g() { for (const n of [1, 2]) { let s = 0; for (let i = 0; i < n; i++) s += i; yield s; } } for (const x of g()) print(x);",
    "x 2 exhausted, i 1 exhausted, i 2 exhausted",
  ],
  [
    "a generator that is left",
    "function* g() { try { yield 1; yield 2; } finally { print('closed'); } } for (const x of g()) { print(x); break; }",
    "x 1 break",
  ],
  [
    "an async generator",
    "async function* g() { while (true) yield 1; } let n = 0; for await (const x of g()) if (n++ > 1) break; print(n);",
    "x 3 break",
  ],
  [
    "a return",
    "function f() { for (let i = 0; ; i++) if (i > 1) return i; } print(f());",
    "i 3 jump",
  ],
  [
    "a return from a loop in finally",
    "function f() { while (true) try { return 1; } finally { print('f'); } } print(f());",
    "f.while 1 jump",
  ],
  [
    "an exception",
    "try { for (let i = 0; ; i++) if (i > 1) throw new Error('x'); } catch (e) { print(e.message); }",
    "i 3 jump",
  ],
  [
    "an exception of the test",
    "try { while (null.x) print(1); } catch (e) { print(e.constructor.name); }",
    "while 1 jump",
  ],
  [
    "an exception of the test after three iterations",
    "let n = 0; try { while (n++ < 3 || null.x) print(n); } catch { print('caught'); }",
    "while 4 jump",
  ],
  [
    "an exception of the update",
    "try { for (let n = 0; n < 9; n++ < 2 || null.x) print(n); } catch { print('caught'); }",
    "n 3 jump",
  ],
  [
    "an exception of the test of a do",
    "let n = 0; try { do print(n); while (n++ < 2 || null.x); } catch { print('caught'); }",
    "do 4 jump",
  ],
  [
    "a class",
    "class T { #n = 0; fit() { for (let e = 0; e < 2; e++) this.#n += e; while (this.#n < 3) this.#n++; return this.#n; } static { for (const x of [1]) print(x); } } print(new T().fit());",
    "x 1 exhausted, e 2 exhausted, fit.while 2 exhausted",
  ],
  [
    "this and arguments",
    "function f() { let s = this.k; for (let i = 0; i < arguments.length; i++) s += arguments[i]; const g = () => { let n = 0; while (n < arguments.length) n++; return n; }; return s + g(); } print(f.call({ k: 1 }, 2, 3));",
    "i 2 exhausted, g.while 2 exhausted",
  ],
  [
    "recursion",
    "function f(n) { let s = 0; for (let i = 0; i < n; i++) s += 1 + f(n - 1); return s; } print(f(2));",
    "i 2 exhausted, i 1 exhausted, i 0 exhausted, i 1 exhausted, i 0 exhausted",
  ],
  [
    "a switch around",
    "switch (1) { case 1: for (let i = 0; i < 2; i++) print(i); let k = 1; case 2: while (k--) print(k); }",
    "i 2 exhausted, while 1 exhausted",
  ],
  [
    "names that are ours",
    "let __al0 = 1; for (let __al = 0; __al < 2; __al++) print(__al + __al0);",
    "__al 2 exhausted",
  ],
  [
    "a directive",
    "'use strict'; for (let i = 0; i < 1; i++) print((function () { return this; })() === undefined);",
    "i 1 exhausted",
  ],
  [
    "a directive of a function",
    "function f() { 'use strict'; for (;;) return this; } print(f() === undefined);",
    "f.for 1 jump",
  ],
  [
    "shadowing",
    "let i = 7; for (let i = 0; i < 2; i++) { let i = 5; print(i); } print(i);",
    "i 2 exhausted",
  ],
  [
    "a function in the body",
    "for (let i = 0; i < 2; i++) { print(f()); function f() { return 1; } }",
    "i 2 exhausted",
  ],
  [
    "eval",
    "const f = []; for (let i = 0; i < 2; i++) f.push(eval('() => i')); print(f.map((g) => g()));",
    "i 2 exhausted",
  ],
  [
    "two at once",
    "const f = async (k) => { for (let i = 0; i < 2; i++) { await 0; print(k + i); } }; await Promise.all([f('a'), f('b')]);",
    "",
  ],
  [
    "a comment gives the name",
    "// afterlog: loop epoch\nfor (let i = 0; i < 1; i++) {\n  while (i < 1) { // afterlog: loop step\n    print(i++);\n  }\n}",
    "epoch 1 exhausted, step 1 exhausted",
  ],
  [
    "a function that shares its name",
    "function f(g) { var h; function g() { return 1; } function h() { return 2; } for (;;) return g() + h(); } print(f(0));",
    "f.for 1 jump",
  ],
  [
    "functions in a function",
    "function f(n) { return g(n); function g(k) { let s = 0; for (const x of [1, 2]) s += x * k; return s; } } print(f(2) + f.name + f.length);",
    "x 2 exhausted",
  ],
  [
    "a function that ends with a comment, after a directive that ends with its line",
    "function f() {\n  'use strict'\n  let s = 0\n  for (const x of [1, 2]) s += x\n  print(s) // done\n}\nprint(f());",
    "x 2 exhausted",
  ],
  [
    "in and out",
    "for (const k in { a: 1, b: 2 }) for (const x of [k]) print(x);",
    "x 1 exhausted, x 1 exhausted",
  ],
];

describe("plain loops", () => {
  test.each(PROGRAMS)("%s", async (what, text, loops) => {
    const { text: rewritten } = rewriteHandsFree(text);
    const lines = (of: string): number => of.split("\n").length;
    expect(lines(rewritten.replace(/\n\/\/# sourceMap.*$/, ""))).toBe(lines(text));
    const plain = await outputOf(text);
    expect(await outputOf(rewritten), rewritten).toEqual(plain);
    for (const quota of [0, 1, 2, 100]) {
      const [printed, found] = await seen(rewritten, () => quota);
      expect(printed, rewritten).toEqual(plain);
      expect(found, `${what}, ${quota} at once: ${rewritten}`).toBe(loops);
    }
    const { text: twice } = rewriteHandsFree(text, true);
    const [printed, found] = await seen(twice, () => 2);
    expect(printed, twice).toEqual(plain);
    expect(found, twice).toBe(loops);
    expect((await seen(twice, () => 2, true))[0], twice).toEqual(plain);
  });

  test("a function whose loops were given up enters none", async () => {
    const text =
      "function f(n) {\n  for (let i = 0; i < n; i++) f(i);\n  return n;\n}\nprint(f(3));";
    expect(await seen(rewriteHandsFree(text, true).text, () => 0, true)).toEqual([["3"], ""]);
  });
});
