/** @file Edits of programs of two versions: in the older one they must mean the same. */
import type { Edit } from "./edit.ts";

const ALL: readonly Edit[] = [
  {
    kind: "a function that took its arguments in another order",
    run: {
      python: {
        functions: "def blend$(part, all):\n    return mix(part * 0.5, all)",
        epoch: "@net.k = mix(@net.k, blend$(A, 0.7))",
      },
      typescript: {
        functions: "function blend$(part, all) {\n  return mix(part * 0.5, all);\n}",
        epoch: "@net.k = mix(@net.k, blend$(A, 0.7));",
      },
    },
    older: {
      python: {
        functions: "def blend$(all, part):\n    return mix(part * 0.5, all)",
        epoch: "@net.k = mix(@net.k, blend$(0.7, A))",
      },
      typescript: {
        functions: "function blend$(all, part) {\n  return mix(part * 0.5, all);\n}",
        epoch: "@net.k = mix(@net.k, blend$(0.7, A));",
      },
    },
    python: { added: { epochEnd: `print("ask_$", blend$(A, 0.25))` } },
    typescript: { added: { epochEnd: `console.log("ask_$", blend$(A, 0.25));` } },
    truth: {
      python: { added: { epochEnd: `print("ask_$", mix(A * 0.5, 0.25))` } },
      typescript: { added: { epochEnd: `console.log("ask_$", mix(A * 0.5, 0.25));` } },
    },
  },
  {
    kind: "between two lines that had other names",
    run: {
      python: { epoch: "@net.k = mix(@net.k, 0.3)\n<<here$>>\n@net.bias[0] = mix(@net.k, @loss)" },
      typescript: {
        epoch: "@net.k = mix(@net.k, 0.3);\n<<here$>>\n@net.bias[0] = mix(@net.k, @loss);",
      },
    },
    python: { changed: { here$: `print("ask_$", mix(@net.k, @net.bias[0]))` } },
    typescript: { changed: { here$: `console.log("ask_$", mix(@net.k, @net.bias[0]));` } },
  },
  {
    kind: "a name that has its value later in the older version",
    run: {
      python: {
        init: `start$ = 0.3
low$ = 0.1
high$ = low$ + 0.2
wide$ = high$ - low$
<<here$>>
far$ = wide$ * 2`,
        epoch: "@net.k = mix(@net.k, start$ + far$)",
      },
    },
    older: {
      python: {
        init: `low$ = 0.1
high$ = low$ + 0.2
wide$ = high$ - low$
far$ = wide$ * 2
start$ = 0.3
<<here$>>`,
      },
    },
    python: { changed: { here$: `print("ask_$", start$ + 1)` } },
  },
  {
    kind: "between two loops",
    run: {
      python: {
        epoch: `for part$ in range(2):
    @net.k = mix(@net.k, part$)
<<here$>>
print("between$", @net.k)
for more$ in range(2):
    @net.k = mix(@net.k, more$ + 0.5)`,
      },
      typescript: {
        epoch: `for (let part$ = 0; part$ < 2; part$++) @net.k = mix(@net.k, part$);
<<here$>>
console.log("between$", @net.k);
for (let more$ = 0; more$ < 2; more$++) @net.k = mix(@net.k, more$ + 0.5);`,
      },
    },
    python: { changed: { here$: `print("ask_$", mix(A, B))` } },
    typescript: { changed: { here$: `console.log("ask_$", mix(A, B));` } },
  },
];

/** Where a landing is not certain, nothing has to be answered. */
export const OLDER: readonly Edit[] = ALL.map((edit) => {
  return { ...edit, later: true, lands: true, warned: true };
});
