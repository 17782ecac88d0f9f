/**
 * @file Edits as people make them to see more, and some that are no question. A part stands in a
 * place of the program (`compose.ts` has the places); `A` and `B` are numbers of the run, `$` is the
 * edit's number, `@net`, `@loss`, `@epoch` and `@step` are what this version calls them. Names that
 * begin with `ask_` are asked.
 */
import type { Language } from "./ingredients.ts";

/** Where statements can stand: at the top, before, in and behind the loops. */
export type Place =
  | "imports"
  | "functions"
  | "forward"
  | "init"
  | "epochStart"
  | "step"
  | "epoch"
  | "epochEnd"
  | "end";

/** Statements of the run that an edit may change. */
export type Changeable = "apply" | "clip" | "widened" | "widen" | "lr" | "lossLine";

export interface Text {
  readonly added?: { readonly [place in Place]?: string };
  readonly changed?: { readonly [line in Changeable]?: string };
  /** More files of the working tree. */
  readonly files?: { readonly [name: string]: string };
}

export interface Edit {
  readonly kind: string;
  readonly python?: Text;
  readonly typescript?: Text;
  /** It draws random numbers or calls the model: in the truth each part is set back. */
  readonly aside?: true;
  /** The truth has this instead of what was added: what leaves the run's code ends the question. */
  readonly truth?: { readonly [language in Language]?: Text };
  /** Asked though its name does not begin with `ask_`. */
  readonly asks?: readonly string[];
  /** What is wrong with its answers as yet: it is not drawn. */
  readonly shortfall?: string;
  /** It is asked of older versions too. */
  readonly lands?: true;
  /** How it is refused; absent: it is answered. */
  readonly refused?: RegExp;
}

const print = (value: string): { python: string; typescript: string } => ({
  python: `print("ask_$", ${value})`,
  typescript: `console.log("ask_$", ${value});`,
});

const simple = (kind: string, place: Place, value: string): Edit => ({
  kind,
  lands: true,
  python: { added: { [place]: print(value).python } },
  typescript: { added: { [place]: print(value).typescript } },
});

export const EDITS: readonly Edit[] = [
  simple("print, prefix", "init", "mix(A, B)"),
  simple("print, inner", "step", "mix(A, x)"),
  simple("print, outer", "epochEnd", "mix(A, @loss)"),
  simple("print, suffix", "end", "mix(A, B)"),
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
    kind: "copied, sorted, printed",
    lands: true,
    python: { added: { epochEnd: `a$ = [A, B, @loss]\na$.sort()\nprint("ask_$", a$[0])` } },
    typescript: {
      added: {
        epochEnd: `const a$ = [A, B, @loss];\na$.sort((p, q) => p - q);\nconsole.log("ask_$", a$[0]);`,
      },
    },
  },
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
    kind: "a result bound",
    python: { changed: { clip: "g$ = clip(@net)" }, added: { step: `print("ask_$", g$ + A)` } },
    typescript: {
      changed: { clip: "const g$ = clip(@net);" },
      added: { step: `console.log("ask_$", g$ + A);` },
    },
  },
  {
    kind: "an added function",
    lands: true,
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
    kind: "if now and then",
    lands: true,
    python: { added: { epochEnd: `if @epoch % 2 == 0:\n    print("ask_$", mix(A, B))` } },
    typescript: { added: { epochEnd: `if (@epoch % 2 === 0) console.log("ask_$", mix(A, B));` } },
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
    kind: "a random draw",
    aside: true,
    python: { added: { epoch: `print("ask_$", random.random() + A)` } },
    typescript: { added: { epoch: `console.log("ask_$", Math.random() + A);` } },
  },
  {
    kind: "the model in training mode",
    aside: true,
    python: { added: { step: `print("ask_$", @net.forward(A))` } },
    typescript: { added: { step: `console.log("ask_$", @net.forward(A));` } },
  },
  {
    kind: "kept in forward, printed elsewhere",
    shortfall: "the attribute is taken for a difference of the state",
    python: { added: { forward: "self.acts$ = out * 2", epochEnd: `print("ask_$", @net.acts$)` } },
    typescript: {
      added: { forward: "this.acts$ = out * 2;", epochEnd: `console.log("ask_$", @net.acts$);` },
    },
  },
  {
    kind: "intervention",
    refused: /changes what line \d+ of the run computes/,
    python: {
      added: { epochStart: "@net.k = 0.5", epochEnd: `print("ask_$", @loss + 1)` },
    },
    typescript: {
      added: { epochStart: "@net.k = 0.5;", epochEnd: `console.log("ask_$", @loss + 1);` },
    },
  },
];

export const DRAWN_EDITS: readonly Edit[] = EDITS.filter(
  ({ shortfall }) => shortfall === undefined,
);
