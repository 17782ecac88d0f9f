/** @file Edits that are no question: each is refused, and says why. */
import type { Edit } from "./edit.ts";

export const REFUSED: readonly Edit[] = [
  {
    kind: "intervention",
    refused: /changes what line \d+ of the run computes/,
    python: { added: { epochStart: "@net.k = 0.5", epochEnd: `print("ask_$", @loss + 1)` } },
    typescript: {
      added: { epochStart: "@net.k = 0.5;", epochEnd: `console.log("ask_$", @loss + 1);` },
    },
  },
  {
    kind: "intervention by a mode",
    refused: /changes what line \d+ of the run computes/,
    python: { added: { epochStart: "@net.eval()", epochEnd: `print("ask_$", @loss + 1)` } },
    typescript: {
      added: { epochStart: "@net.eval();", epochEnd: `console.log("ask_$", @loss + 1);` },
    },
  },
  {
    kind: "intervention around statements",
    torch: true,
    refused:
      /`with torch\.no_grad\(\):` \(train\.py:\d+\) changes what line \d+ of the run computes/,
    python: {
      changed: { apply: "with torch.no_grad():\n    @loss += mix(@net.forward(x), x)" },
      added: { epochEnd: `print("ask_$", @loss + 1)` },
    },
  },
  {
    kind: "inside other data",
    refused: /comes from your `Data\d+`/,
    python: {
      added: {
        functions: `class Data$:\n    def item(self):\n        print("ask_$", 0.25)\n        return 0.25`,
      },
      changed: { drawn: "x = Data$().item()" },
    },
    typescript: {
      added: {
        functions: `class Data$ { item() { console.log("ask_$", 0.25); return 0.25; } }`,
      },
      changed: { drawn: "const x = new Data$().item();" },
    },
    form: 0,
  },
  {
    kind: "a line that became a loop",
    refused: /line \d+ became a loop/,
    python: {
      changed: {
        apply: `for part$ in [x, A]:\n    @loss += mix(@net.forward(part$), part$)\n    print("ask_$", @loss)`,
      },
    },
    typescript: {
      changed: {
        apply: `for (const part$ of [x, A]) {\n  @loss += mix(@net.forward(part$), part$);\n  console.log("ask_$", @loss);\n}`,
      },
    },
  },
  {
    kind: "the same name, another value",
    refused: /this run logs `loss` as .*--as/,
    asks: ["loss"],
    python: { changed: { lossLine: `print("loss", @loss / 3)` } },
    typescript: { changed: { lossLine: `console.log("loss", @loss / 3);` } },
  },
  {
    kind: "under a condition that was false",
    shortfall: "it is told on the terminal only, and the hunt reads --json",
    refused: /under `if .*DEBUG\d+.*`, which was false/,
    run: {
      python: { functions: "DEBUG$ = False" },
      typescript: { functions: "const DEBUG$ = false;" },
    },
    python: { added: { epochEnd: `if DEBUG$:\n    print("ask_$", A)` } },
    typescript: { added: { epochEnd: `if (DEBUG$) console.log("ask_$", A);` } },
  },
];
