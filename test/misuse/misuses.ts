/**
 * @file What people type that cannot be meant so: each row an input, what it is answered with, and
 * what is there afterwards that was not. A new feature brings rows of its own.
 */

export interface Misuse {
  readonly what: string;
  /** `afterlog …`, in a project that holds `FILES` and a run of `train.ts`. */
  readonly argv: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly code: number;
  /** Both streams together hold each of these. */
  readonly says: readonly RegExp[];
  /** Runs and files that are new; all that was there is byte for byte as it was, whatever happened. */
  readonly runs?: number;
  readonly files?: readonly string[];
}

/** A program that begins to loop leaves `looped`. */
export const FILES: { readonly [name: string]: string } = {
  "train.ts": `import * as al from "afterlog";
import { writeFileSync } from "node:fs";
const epochs = al.arg("epochs", 2);
for (const epoch of al.loop("epoch", al.range(epochs))) {
  if (epochs !== 2) writeFileSync("looped", "");
  al.log("loss", 1 / (1 + epoch));
  if (epoch === 9) break;
}
`,
  "train.py": `import afterlog as al
epochs = al.arg("epochs", 2)
for epoch in al.loop("epoch", [1, 2]):
    open("looped", "w").close()
    al.log("loss", epoch / epochs)
`,
};

const NOT_FINITE = ["train.ts", "train.py"].map((program): Misuse => ({
  what: "a number that is infinite as a double",
  argv: ["run", program, "epochs=1e400"],
  code: 1,
  says: [
    /AL005\]:? argument epochs=1e400 is not a finite number/,
    /help: give a finite number, or leave epochs out to use its default/,
  ],
  runs: 1,
}));

export const MISUSES: readonly Misuse[] = [...NOT_FINITE];
