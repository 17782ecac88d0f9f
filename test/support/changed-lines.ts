/** @file Lines of a run that were changed, in a small program. */
import type { FileEdit } from "../../src/landing/index.ts";
import { editBetween, keepPiece } from "../../src/landing/index.ts";
import { parsed } from "./parsed.ts";

/** Lines of a run and what became of them: the same program with more to see, or another one. */
export type Change = readonly [about: string, then: string, now: string];

/** What became of lines in a loop: how many are no longer there, and whether all can be undone. */
export function inLoop(
  file: string,
  then: string,
  now: string,
): { readonly lost: number; readonly canBeUndone: boolean } {
  const around = (text: string): string =>
    file === "a.py"
      ? `def f(local):\n    global g\n    g = local\ng = 1\nx = y = 2\nwhile y:\n${text}\n    end(g)\n`
      : `let g = 1;\nlet x = 2;\nconst f = () => { g = 2; };\nwhile (y) {\n${text}\n  end(g);\n}\n`;
  const edit = between(file, around(then), around(now));
  const lost = edit.gaps.flatMap((gap) => gap.lost).length;
  // Whatever is the same can be undone, and gives what the older version says.
  return { lost, canBeUndone: keepPiece(edit, []) !== undefined };
}

export function between(file: string, then: string, now: string): FileEdit {
  const [old, own] = [parsed(file, then), parsed(file, now)];
  if (!old || !own) throw new Error("it does not parse");
  return editBetween(old, own);
}
