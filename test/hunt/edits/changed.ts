/** @file Statements of the run changed so that more can be seen: the same program, in other words. */
import type { Edit } from "./edit.ts";

const SHAPES = "this shape of a changed statement is not a question yet";

export const CHANGED: readonly Edit[] = [
  {
    kind: "a result bound",
    lands: true,
    python: { changed: { clip: "g$ = clip(@net)" }, added: { step: `print("ask_$", g$ + A)` } },
    typescript: {
      changed: { clip: "const g$ = clip(@net);" },
      added: { step: `console.log("ask_$", g$ + A);` },
    },
  },
  {
    kind: "an ignored target named",
    lands: true,
    run: {
      python: { epoch: "<<pair$: low$, _ = divmod(A * 9, 2)>>\n@net.k = mix(@net.k, low$)" },
      typescript: { epoch: "<<pair$: const [low$] = [A, B];>>\n@net.k = mix(@net.k, low$);" },
    },
    python: {
      changed: { pair$: "low$, rest$ = divmod(A * 9, 2)" },
      added: { epochEnd: `print("ask_$", rest$)` },
    },
    typescript: {
      changed: { pair$: "const [low$, rest$] = [A, B];" },
      added: { epochEnd: `console.log("ask_$", rest$);` },
    },
  },
  {
    kind: "steps numbered",
    form: 1,
    python: {
      changed: { steps: "for i$, x in enumerate(draws(3)):" },
      added: { step: `if i$ % 2 == 0:\n    print("ask_$", mix(A, x))` },
    },
    typescript: {
      changed: { steps: "for (const [i$, x] of draws(3).entries()) {" },
      added: { step: `if (i$ % 2 === 0) console.log("ask_$", mix(A, x));` },
    },
  },
  {
    kind: "steps numbered by a second iterable",
    form: 1,
    python: {
      changed: { steps: "for i$, x in zip(itertools.count(1), draws(3)):" },
      added: { imports: "import itertools", step: `print("ask_$", mix(i$, A))` },
    },
  },
  {
    kind: "a subexpression pulled out",
    python: {
      changed: { apply: "out$ = @net.forward(x)\n@loss += mix(out$, x)" },
      added: { step: `print("ask_$", out$)` },
    },
    typescript: {
      changed: { apply: "const out$ = @net.forward(x);\n@loss += mix(out$, x);" },
      added: { step: `console.log("ask_$", out$);` },
    },
  },
  {
    kind: "a return widened",
    lands: true,
    python: {
      changed: {
        decayReturn: "return slope * rate, slope + 1",
        decayed: "@net.k, more$ = decay(@net.k, @loss)",
      },
      added: { step: `print("ask_$", mix(more$, A))` },
    },
  },
  {
    kind: "a return that became an object",
    typescript: {
      changed: {
        decayReturn: "return { k: slope * rate, more: slope + 1 };",
        decayed: "const { k: k$, more: more$ } = decay(@net.k, @loss);\n@net.k = k$;",
      },
      added: { step: `console.log("ask_$", mix(more$, A));` },
    },
  },
  {
    kind: "a key in what the run logs",
    lands: true,
    run: {
      python: { epochEnd: `report$ = {"cost$": A}\n<<keys$>>\nprint(report$)` },
      typescript: { epochEnd: "const report$ = { cost$: A };\n<<keys$>>\nconsole.log(report$);" },
    },
    python: { changed: { keys$: `report$["ask_$"] = mix(A, B)` } },
    typescript: { changed: { keys$: "report$.ask_$ = mix(A, B);" } },
    truth: {
      python: { changed: { keys$: `print("ask_$", mix(A, B))` } },
      typescript: { changed: { keys$: `console.log("ask_$", mix(A, B));` } },
    },
  },
  {
    kind: "more in a line of the run",
    lands: true,
    python: { changed: { lossLine: `print("loss", @loss, "ask_$", mix(A, B))` } },
    typescript: { changed: { lossLine: `console.log("loss", @loss, "ask_$", mix(A, B));` } },
  },
  {
    kind: "an option for the question",
    lands: true,
    gathers: true,
    run: {
      python: {
        imports: "import argparse",
        functions: `parser$ = argparse.ArgumentParser()
parser$.add_argument("--start", type=float, default=0.4)
<<option$>>
args$ = parser$.parse_args()`,
        init: "@net.k = mix(@net.k, args$.start)",
      },
    },
    python: {
      changed: { option$: `parser$.add_argument("--every", type=int, default=2)` },
      added: { epochEnd: `if @epoch % args$.every == 0:\n    print("ask_$", mix(A, B))` },
    },
  },
  {
    kind: "an option for the question, of an object",
    shortfall: SHAPES,
    run: {
      typescript: {
        imports: 'import { parseArgs as parse$ } from "node:util";',
        functions: `<<option$: const { values: args$ } = parse$({ options: { start: { type: "string", default: "0.4" } } });>>`,
        init: "@net.k = mix(@net.k, Number(args$.start));",
      },
    },
    typescript: {
      changed: {
        option$: `const { values: args$ } = parse$({ options: { start: { type: "string", default: "0.4" }, every: { type: "string", default: "2" } } });`,
      },
      added: {
        epochEnd: `if (@epoch % Number(args$.every) === 0) console.log("ask_$", mix(A, B));`,
      },
    },
  },
  {
    kind: "a parameter for the question",
    run: {
      python: {
        functions: "<<shrink$: def shrink$(v):>>\n    <<look$>>\n    return v * 0.5",
        epoch: "<<use$: small$ = shrink$(A)>>\n@net.k = mix(@net.k, small$)",
      },
      typescript: {
        functions: "<<shrink$: function shrink$(v) {>>\n  <<look$>>\n  return v * 0.5;\n}",
        epoch: "<<use$: const small$ = shrink$(A);>>\n@net.k = mix(@net.k, small$);",
      },
    },
    python: {
      changed: {
        shrink$: "def shrink$(v, tag=0):",
        look$: `print("ask_$", v + tag)`,
        use$: "small$ = shrink$(A, tag=2)",
      },
    },
    typescript: {
      changed: {
        shrink$: "function shrink$(v, tag = 0) {",
        look$: `console.log("ask_$", v + tag);`,
        use$: "const small$ = shrink$(A, 2);",
      },
    },
  },
  {
    kind: "a wrapper that gives what it gets",
    lands: true,
    python: {
      changed: { apply: "@loss += look$(mix(@net.forward(x), x))" },
      added: { functions: `def look$(v):\n    print("ask_$", v * 2)\n    return v` },
    },
    typescript: {
      changed: { apply: "@loss += look$(mix(@net.forward(x), x));" },
      added: { functions: `function look$(v) {\n  console.log("ask_$", v * 2);\n  return v;\n}` },
    },
  },
  {
    kind: "a statement of the run inside try",
    lands: true,
    python: {
      changed: {
        apply:
          "try:\n    @loss += mix(@net.forward(x), x)\nexcept OverflowError:\n    print(x)\n    raise",
      },
      added: { step: `print("ask_$", mix(A, x))` },
    },
    typescript: {
      changed: {
        apply:
          "try {\n  @loss += mix(@net.forward(x), x);\n} catch (error$) {\n  console.error(error$);\n  throw error$;\n}",
      },
      added: { step: `console.log("ask_$", mix(A, x));` },
    },
  },
  {
    kind: "a statement of the run inside a profile",
    python: {
      changed: { apply: "with cProfile.Profile():\n    @loss += mix(@net.forward(x), x)" },
      added: { imports: "import cProfile", step: `print("ask_$", mix(A, x))` },
    },
  },
];
