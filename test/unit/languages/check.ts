/** One-row tests of the analysis: a program's text, and what the model says of it. */
import type { SourceModel } from "../../../src/languages/index.ts";
import { analyzeProgram } from "../../../src/languages/index.ts";

/** Files of a program by name; a single text is `train.ts`. */
export type Sources = string | { readonly [file: string]: string };

/** The head of a loop, for what follows it. */
export const LOOP = 'for (const e of al.loop("e", al.range(3)))';

const IMPORT = 'import * as al from "afterlog";\n';

export function modelOf(sources: Sources): SourceModel {
  const files: { readonly [file: string]: string } =
    typeof sources === "string" ? { "train.ts": sources } : sources;
  return analyzeProgram("train.ts", (file) => {
    const text = files[file];
    return text !== undefined && file === "train.ts" && !text.includes("afterlog")
      ? IMPORT + text
      : text;
  });
}

/** Names that a loop changes, each with its access unless that is `name`, in order. */
export function changesOf(sources: Sources, loop = 0): string {
  return changedNames(modelOf(sources), loop);
}

export function changedNames({ loops, uncertain }: SourceModel, loop: number): string {
  const names = (loops[loop]?.changes ?? []).map(({ name, access }) =>
    access === "name" ? name : `${name}:${access}`,
  );
  return [...names.toSorted(), ...uncertain.map((why) => `? ${why}`)].join(" ");
}
