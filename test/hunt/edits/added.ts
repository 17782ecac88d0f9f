/** @file Edits that only add statements, functions, files: most of what people do to see more. */
import type { Edit, Place } from "./edit.ts";

const print = (value: string): { python: string; typescript: string } => ({
  python: `print("ask_$", ${value})`,
  typescript: `console.log("ask_$", ${value});`,
});

const simple = (kind: string, place: Place, value: string): Edit => ({
  kind,
  python: { added: { [place]: print(value).python } },
  typescript: { added: { [place]: print(value).typescript } },
});

const MODES: readonly Edit[] = [
  {
    kind: "evaluation mode and back",
    python: {
      added: {
        epoch: `@net.eval()\nclean$ = @net.forward(A)\n@net.train()\nprint("ask_$", clean$)`,
      },
    },
    typescript: {
      added: {
        epoch: `@net.eval();\nconst clean$ = @net.forward(A);\n@net.train();\nconsole.log("ask_$", clean$);`,
      },
    },
  },
  {
    kind: "evaluation mode and back, one line",
    python: { added: { epochEnd: `@net.eval(); print("ask_$", @net.forward(A)); @net.train()` } },
    typescript: {
      added: { epochEnd: `@net.eval(); console.log("ask_$", @net.forward(A)); @net.train();` },
    },
  },
  {
    kind: "evaluation mode and as it was",
    python: {
      added: {
        step: `was$ = @net.training\n@net.eval()\nprint("ask_$", evaluate(@net, A))\n@net.train(was$)`,
      },
    },
    typescript: {
      added: {
        step: `const was$ = @net.training;\n@net.eval();\nconsole.log("ask_$", evaluate(@net, A));\n@net.train(was$);`,
      },
    },
  },
  {
    kind: "evaluation mode, and the run goes back itself",
    alone: true,
    run: { typescript: { epochStart: "@net.train();" } },
    typescript: { added: { epochEnd: `@net.eval();\nconsole.log("ask_$", @net.forward(A));` } },
    truth: {
      typescript: {
        added: { epochEnd: `@net.eval();\nconsole.log("ask_$", @net.forward(A));\n@net.train();` },
      },
    },
  },
  {
    kind: "evaluation mode around a line of the run",
    alone: true,
    python: {
      added: { epoch: "@net.eval()", epochEnd: `print("ask_$", @net.forward(A))\n@net.train()` },
    },
    typescript: {
      added: {
        epoch: "@net.eval();",
        epochEnd: `console.log("ask_$", @net.forward(A));\n@net.train();`,
      },
    },
  },
  {
    kind: "evaluation mode of a plain object, and the run goes back itself",
    alone: true,
    run: { python: { epochStart: "@net.train()" } },
    python: { added: { epochEnd: `@net.eval()\nprint("ask_$", @net.forward(A))` } },
    truth: {
      python: { added: { epochEnd: `@net.eval()\nprint("ask_$", @net.forward(A))\n@net.train()` } },
    },
  },
  {
    kind: "the model in training mode",
    aside: true,
    python: { added: { step: `print("ask_$", @net.forward(A))` } },
    typescript: { added: { step: `console.log("ask_$", @net.forward(A));` } },
  },
  {
    kind: "the run's own evaluation",
    aside: true,
    python: { added: { epochEnd: `seen$ = evaluate(@net, B)\nprint("ask_$", seen$)` } },
    typescript: {
      added: { epochEnd: `const seen$ = evaluate(@net, B);\nconsole.log("ask_$", seen$);` },
    },
  },
];

const STATEMENTS: readonly Edit[] = [
  {
    kind: "in a loop over parameters",
    asks: ["ask_$_k", "ask_$_b"],
    python: {
      added: { epochEnd: `for n$, p$ in @net.named():\n    print(f"ask_$_{n$}", mix(p$, A))` },
    },
    typescript: {
      added: {
        epochEnd:
          "for (const [n$, p$] of @net.named()) {\n  console.log(`ask_$_${n$}`, mix(p$, A));\n}",
      },
    },
  },
  {
    kind: "without a name in the text",
    asks: ["ask_$k", "ask_$b"],
    python: {
      added: { epochEnd: `for n$, p$ in [("ask_$k", A), ("ask_$b", B)]:\n    print(n$, p$)` },
    },
    typescript: {
      added: {
        epochEnd: `for (const [n$, p$] of [["ask_$k", A], ["ask_$b", B]]) console.log(n$, p$);`,
      },
    },
  },
  {
    kind: "copied, sorted, printed",
    python: { added: { epochEnd: `a$ = [A, B, @loss]\na$.sort()\nprint("ask_$", a$[0])` } },
    typescript: {
      added: {
        epochEnd: `const a$ = [A, B, @loss];\na$.sort((p, q) => p - q);\nconsole.log("ask_$", a$[0]);`,
      },
    },
  },
  {
    kind: "if now and then",
    python: { added: { epochEnd: `if @epoch % 2 == 0:\n    print("ask_$", mix(A, B))` } },
    typescript: { added: { epochEnd: `if (@epoch % 2 === 0) console.log("ask_$", mix(A, B));` } },
  },
  {
    kind: "once, and leaves",
    alone: true,
    python: { added: { epochEnd: `if @epoch == 2:\n    print("ask_$", mix(A, B))\n    break` } },
    typescript: {
      added: { epochEnd: `if (@epoch === 2) {\n  console.log("ask_$", mix(A, B));\n  break;\n}` },
    },
    truth: {
      python: { added: { epochEnd: `if @epoch == 2:\n    print("ask_$", mix(A, B))` } },
      typescript: { added: { epochEnd: `if (@epoch === 2) console.log("ask_$", mix(A, B));` } },
    },
  },
  {
    kind: "try",
    python: {
      added: {
        epoch: `try:\n    print("ask_$never", [A][3])\nexcept IndexError:\n    print("ask_$", A)`,
      },
    },
    typescript: {
      added: {
        epoch: `try {\n  console.log("ask_$never", [A][3].none);\n} catch {\n  console.log("ask_$", A);\n}`,
      },
    },
  },
  {
    kind: "one value, two names",
    python: { added: { step: `v$ = mix(A, B)\nprint("ask_$a", v$)\nprint("ask_$b", v$ + 1)` } },
    typescript: {
      added: {
        step: `const v$ = mix(A, B);\nconsole.log("ask_$a", v$);\nconsole.log("ask_$b", v$ + 1);`,
      },
    },
  },
  {
    kind: "two prints, one asked",
    python: {
      added: { step: `w$ = mix(A, x)\nprint("other_$", evaluate(@net, w$))\nprint("ask_$", w$)` },
    },
    typescript: {
      added: {
        step: `const w$ = mix(A, x);\nconsole.log("other_$", evaluate(@net, w$));\nconsole.log("ask_$", w$);`,
      },
    },
    truth: {
      python: { added: { step: `print("ask_$", mix(A, x))` } },
      typescript: { added: { step: `console.log("ask_$", mix(A, x));` } },
    },
  },
  {
    kind: "a random draw",
    aside: true,
    python: { added: { epoch: `print("ask_$", random.random() + A)` } },
    typescript: { added: { epoch: `console.log("ask_$", Math.random() + A);` } },
  },
  {
    kind: "a clock in the question",
    fresh: true,
    python: {
      added: { imports: "import time", epochEnd: `t$ = time.time()\nprint("ask_$", t$ + A)` },
    },
    typescript: { added: { epochEnd: `const t$ = Date.now();\nconsole.log("ask_$", t$ + A);` } },
  },
  {
    kind: "entropy in the question",
    fresh: true,
    python: {
      added: { imports: "import secrets", step: `print("ask_$", secrets.randbelow(9973) + A)` },
    },
    typescript: {
      added: {
        imports: 'import { randomInt as any$ } from "node:crypto";',
        step: `console.log("ask_$", any$(9973) + A);`,
      },
    },
  },
  {
    kind: "called by its own name",
    asks: ["ask_acc"],
    python: { added: { epochEnd: 'print(f"{@ask_acc=}")' } },
    typescript: { added: { epochEnd: "console.log({ @ask_acc });" } },
    truth: {
      python: { added: { epochEnd: 'print("ask_acc", @ask_acc)' } },
      typescript: { added: { epochEnd: 'console.log("ask_acc", @ask_acc);' } },
    },
  },
];

const GATHERED: readonly Edit[] = [
  {
    kind: "gathered in the step loop",
    python: {
      added: {
        epochStart: "norms$ = []",
        step: "norms$.append(mix(A, x))",
        epochEnd: `print("ask_$", sum(norms$) / len(norms$))`,
      },
    },
    typescript: {
      added: {
        epochStart: "const norms$ = [];",
        step: "norms$.push(mix(A, x));",
        epochEnd: `console.log("ask_$", norms$.reduce((p, q) => p + q, 0) / norms$.length);`,
      },
    },
  },
  {
    kind: "counted from the start",
    python: {
      added: { init: "count$ = 0", step: "count$ += 1", epochEnd: `print("ask_$", count$ + A)` },
    },
    typescript: {
      added: {
        init: "let count$ = 0;",
        step: "count$ += 1;",
        epochEnd: `console.log("ask_$", count$ + A);`,
      },
    },
  },
  {
    kind: "best so far",
    python: {
      added: {
        init: "best$ = 0.0",
        epochEnd: `if A > best$:\n    best$ = A\nprint("ask_$", best$)`,
      },
    },
    typescript: {
      added: {
        init: "let best$ = 0;",
        epochEnd: `if (A > best$) best$ = A;\nconsole.log("ask_$", best$);`,
      },
    },
  },
  {
    kind: "kept by a function",
    python: {
      added: {
        functions:
          "def track$(best=[0.0]):\n    def see(v):\n        best[0] = max(best[0], v)\n        return best[0]\n    return see",
        init: "see$ = track$()",
        epochEnd: `print("ask_$", see$(A))`,
      },
    },
    typescript: {
      added: {
        init: "let most$ = 0; const see$ = (v) => { if (v > most$) most$ = v; return most$; };",
        epochEnd: `console.log("ask_$", see$(A));`,
      },
    },
  },
  {
    kind: "kept in forward, printed elsewhere",
    // Other questions beside it call the model, too.
    alone: true,
    python: { added: { forward: "self.acts$ = out * 2", epochEnd: `print("ask_$", @net.acts$)` } },
    typescript: {
      added: { forward: "this.acts$ = out * 2;", epochEnd: `console.log("ask_$", @net.acts$);` },
    },
  },
];

const DEFINED: readonly Edit[] = [
  {
    kind: "an added function",
    python: {
      added: {
        functions: "def squash$(v):\n    return math.tanh(v) * 3",
        epoch: `print("ask_$", squash$(mix(A, B)))`,
      },
    },
    typescript: {
      added: {
        functions: "function squash$(v) {\n  return Math.tanh(v) * 3;\n}",
        epoch: `console.log("ask_$", squash$(mix(A, B)));`,
      },
    },
  },
  {
    kind: "an added class",
    python: {
      added: {
        functions:
          "class Track$:\n    def __init__(self, v):\n        self.v = v\n    def half(self):\n        return self.v / 2",
        epochEnd: `track$ = Track$(mix(A, B))\nprint("ask_$", track$.half())`,
      },
    },
    typescript: {
      added: {
        functions:
          "class Track$ {\n  constructor(v) { this.v = v; }\n  half() { return this.v / 2; }\n}",
        epochEnd: `const track$ = new Track$(mix(A, B));\nconsole.log("ask_$", track$.half());`,
      },
    },
  },
  {
    kind: "an added method",
    python: {
      added: {
        methods: "def spread$(self):\n    return max(self.bias) - min(self.bias)",
        epochEnd: `print("ask_$", @net.spread$() + A)`,
      },
    },
    typescript: {
      added: {
        methods: "spread$() { return Math.max(...this.bias) - Math.min(...this.bias); }",
        epochEnd: `console.log("ask_$", @net.spread$() + A);`,
      },
    },
  },
  {
    kind: "an added file",
    python: {
      added: { imports: "import extra$", epochEnd: `print("ask_$", extra$.twice(A))` },
      files: { "extra$.py": "def twice(v):\n    return v * 2 + 1\n" },
    },
    typescript: {
      added: {
        imports: 'import { twice as twice$ } from "./extra$.mjs";',
        epochEnd: `console.log("ask_$", twice$(A));`,
      },
      files: { "extra$.mjs": "export function twice(v) { return v * 2 + 1; }\n" },
    },
  },
  {
    kind: "an added import",
    python: {
      added: { imports: "import statistics", step: `print("ask_$", statistics.mean([A, B, x]))` },
    },
    typescript: {
      added: {
        imports: 'import { basename as base$ } from "node:path";',
        step: 'console.log("ask_$", Number(base$(`/${A}`)) + x);',
      },
    },
  },
];

const WITH_OTHER_CHANGES: readonly Edit[] = [
  {
    kind: "another rate, and a print",
    python: { changed: { rate: "rate = 0.4" }, added: { epochEnd: `print("ask_$", mix(A, B))` } },
    typescript: {
      changed: { rate: "const rate = 0.4;" },
      added: { epochEnd: `console.log("ask_$", mix(A, B));` },
    },
    truth: {
      python: { added: { epochEnd: `print("ask_$", mix(A, B))` } },
      typescript: { added: { epochEnd: `console.log("ask_$", mix(A, B));` } },
    },
  },
  {
    kind: "laid out anew",
    tidied: true,
    python: { added: { epochEnd: `late$ = mix(A, B)\nprint("ask_$", late$)` } },
    typescript: { added: { epochEnd: `const late$ = mix(A, B);\nconsole.log("ask_$", late$);` } },
  },
  {
    kind: "a name that means something else in the older version",
    python: { added: { epochEnd: `spare = mix(A, B)\nspare += 1\nprint("ask_$", spare)` } },
    typescript: {
      added: { epochEnd: `let spare = mix(A, B);\nspare += 1;\nconsole.log("ask_$", spare);` },
    },
    truth: {
      python: { added: { epochEnd: `print("ask_$", mix(A, B) + 1)` } },
      typescript: { added: { epochEnd: `console.log("ask_$", mix(A, B) + 1);` } },
    },
  },
  {
    kind: "an evaluation that differs between versions",
    python: {
      added: {
        epochEnd: `@net.eval()\nother$ = evaluate(@net, A)\n@net.train()\nprint("ask_$", other$)`,
      },
    },
    typescript: {
      added: {
        epochEnd: `@net.eval();\nconst other$ = evaluate(@net, A);\n@net.train();\nconsole.log("ask_$", other$);`,
      },
    },
  },
];

const ALL: readonly Edit[] = [
  simple("print, prefix", "init", "mix(A, B)"),
  simple("print, inner", "step", "mix(A, x)"),
  simple("print, outer", "epochEnd", "mix(A, @loss)"),
  simple("print, suffix", "end", "mix(A, B)"),
  ...MODES,
  ...STATEMENTS,
  ...GATHERED.map((edit) => ({ ...edit, gathers: true }) as const),
  ...DEFINED,
  ...WITH_OTHER_CHANGES,
];

/** What was added lands in older versions as a whole. */
export const ADDED: readonly Edit[] = ALL.map((edit) => ({ ...edit, lands: true }));
