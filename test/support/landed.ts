/** A line of a newer version, landed in an older one: small loops in Python or TypeScript. */
import { landStatements } from "../../src/landing/index.ts";

export interface VersionRow {
  readonly then: string;
  /** The line that ends with `asked` in a comment is landed. */
  readonly now: string;
}

/** A loop in Python around some lines, or in TypeScript. */
export const loop = (head: string, ...lines: readonly string[]): string => {
  const isPython = head.startsWith("#");
  const all = lines.map((line) => `    ${line}\n`).join("");
  return isPython
    ? `${head}\nfor epoch in range(3):\n${all}`
    : `${head}\nfor (let epoch = 0; epoch < 3; epoch++) {\n${all}}\n`;
};

export function landed({
  then,
  now,
}: VersionRow): ReturnType<typeof landStatements>["landings"][number] {
  const file = then.startsWith("#") ? "a.py" : "a.ts";
  const line = now.split("\n").findIndex((one) => /(?:#|\/\/) asked$/.test(one));
  const column = /\S/.exec(now.split("\n")[line] ?? "")?.index ?? 0;
  const { landings } = landStatements({
    now: { file, text: () => now },
    statements: [{ line: line + 1, column: column + 1 }],
    then: { files: [file], text: () => then },
  });
  const [landing] = landings;
  if (!landing) throw new Error("nothing landed");
  return landing;
}
