/** What is put into an older text besides log statements: only what is named, and marked. */
import { describe, expect, it } from "vitest";
import { analyzeProgram } from "../analyze.ts";
import { anchorOf } from "./log-anchor.ts";
import { withoutCarriedMarkers } from "./carried-marker.ts";
import { compareInserted } from "./compare-sources.ts";

const FILE = "train.ts";

/** A program whose names lie in several scopes before and after what is put in. */
const program = (helper: string, body: string): string => `import * as al from "afterlog";
${helper}
class Net { w = [0]; }
const net = new Net();
function update(by: number): void {
  let seen = 0;
  for (const step of al.loop("step", [1, 2])) { seen += step; net.w[0]! += by * seen; }
}
let total = 0;
for (const epoch of al.loop("epoch", al.range(3))) ${body}
al.log("total", total);
`;

const HELPER =
  "const norm = (w: number[]): number => { let sum = 0; for (const x of w) sum += x; return sum; };";
const LOG = 'al.log("norm", norm(net.w));';
const UNBRACED = "total += epoch;";

const keysOf = (text: string): string[] => {
  const { loops } = analyzeProgram(FILE, (file) => (file === FILE ? text : undefined));
  return loops.map(
    ({ name, changes }) =>
      `${name}: ${changes
        .map(({ key }) => key)
        .sort()
        .join(" ")}`,
  );
};

describe("what is put in", () => {
  it.each<[string, string, string, readonly string[]]>([
    [
      "a helper",
      program("", `{ ${UNBRACED} }`),
      program(HELPER, `{ ${UNBRACED} ${LOG} }`),
      [HELPER],
    ],
    ["braces", program("", UNBRACED), program("", `{ ${UNBRACED} al.log("e", epoch); }`), ["x"]],
    [
      "a branch that only logs",
      program("", `{ ${UNBRACED} }`),
      program("", `{ ${UNBRACED} if (epoch > 1) { al.log("e", epoch); } }`),
      ['if (epoch > 1) { al.log("e", epoch); }'],
    ],
    [
      "an arrow function with a body",
      program("const f = (x: number) => x + 1;", `{ total += f(epoch); }`),
      program(
        'const f = (x: number) => { al.log("x", x); return x + 1; };',
        `{ total += f(epoch); }`,
      ),
      ["x"],
    ],
    [
      "an import",
      program("", `{ ${UNBRACED} }`),
      program('import { join } from "node:path";', `{ ${UNBRACED} al.log("p", join("a", "b")); }`),
      ['import { join } from "node:path"'],
    ],
  ])("%s: names keep their numbers, loops their places", (_, before, after, also) => {
    const result = compareInserted(before, after, FILE, { handsFree: false, also });
    expect(result.difference).toMatchObject({ kind: "logs" });
    expect(withoutCarriedMarkers(result.text)).toBe(after);
    expect(keysOf(result.text)).toEqual(keysOf(before));
    const read = (file: string): string | undefined => (file === FILE ? before : undefined);
    const then = analyzeProgram(FILE, read).loops;
    const now = analyzeProgram(FILE, () => result.text).loops;
    expect(now.map((loop) => result.before(loop))).toEqual(
      then.map(({ line, column }) => ({ line, column })),
    );
  });

  it.each<[string, string, string]>([
    ["a helper that is not named", program("", "{}"), program(HELPER, `{ ${LOG} }`)],
    ["a changed helper", program("const a = 1;", "{}"), program("const a = 2;", `{ ${LOG} }`)],
    ["another statement in braces", program("", UNBRACED), program("", `{ ${UNBRACED} total++; }`)],
    ["something that is gone", program(HELPER, "{}"), program("", `{ ${LOG} }`)],
  ])("not %s", (_, before, after) => {
    const { difference } = compareInserted(before, after, FILE, { handsFree: false, also: [LOG] });
    expect(difference.kind).toBe("differs");
  });

  it("does not change where a statement stands", () => {
    const alone = program("", `{ ${UNBRACED} al.log("e", epoch); }`);
    const beside = program(HELPER, `{ ${UNBRACED} al.log("e", epoch); ${LOG} }`);
    const before = program("", `{ ${UNBRACED} }`);
    const anchors = [alone, beside].map((after) => {
      const { text } = compareInserted(before, after, FILE, { handsFree: false, also: [HELPER] });
      const line = text.split("\n").findIndex((one) => one.includes('"e"'));
      const column = (text.split("\n")[line] ?? "").indexOf('al.log("e"') + 1;
      return anchorOf(text, FILE, { line: line + 1, column });
    });
    expect(anchors[0]).toBe(anchors[1]);
  });
});
