/** Functions of a question that were two, and words that others have by another one now. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { editBetween } from "./align.ts";
import { handedWordsOf, joinedFunctions } from "./joined-functions.ts";
import { recognitionBetween } from "./recognise.ts";

beforeAll(() => prepareLanguages(["a.py", "a.mjs"]));

/** The older text, the newer one with lines of the question marked `+`, and what is said. */
type Row = readonly [file: string, then: string, now: string, said: readonly string[]];

const body = (name: string, more = ""): string =>
  `def ${name}(w):\n    t = 0\n    for x in data:\n        t += w * x\n${more}    return t\n`;
const ASK = "    print('q', t) #+\n";
const BOTH = "for e in r:\n    a = train(w)\n    b = test(w)\n    w = a - b\n";
const JS = (name: string, more = ""): string =>
  `function ${name}(w) {\n  let t = 0;\n  for (const x of data) t += w * x;\n${more}  return t;\n}\n`;

const ROWS: { readonly [about: string]: Row } = {
  "two functions that are one now": [
    "a.py",
    body("train") + body("test") + BOTH,
    body("run", ASK) + BOTH.replaceAll(/train|test/g, "run"),
    ["run: train, test"],
  ],
  "two in one statement": [
    "a.mjs",
    `${JS("train")}${JS("test")}for (const e of r) {\n  w = train(w) - test(w);\n}\n`,
    `${JS("run", "  console.log('q', t); //+\n")}for (const e of r) {\n  w = run(w) - run(w);\n}\n`,
    ["run: train, test"],
  ],
  "a function with another name": [
    "a.py",
    body("train") + body("test") + BOTH,
    body("fit", ASK) + body("test") + BOTH.replace("train", "fit"),
    [],
  ],
  "a function that is no longer called": [
    "a.py",
    body("train") + body("test") + BOTH,
    body("train", ASK) + BOTH.replace("    b = test(w)\n", "    b = 0.5\n"),
    [],
  ],
  "one call more": [
    "a.py",
    body("train") + BOTH.replace("test(w)", "0.5"),
    body("train", ASK) + BOTH.replace("test(w)", "train(1)"),
    [],
  ],
};

test.each(Object.entries(ROWS))("%s", (_, [file, before, after, said]) => {
  const { edits, starts } = asked(file, before, after);
  const found = joinedFunctions(edits, starts);
  expect(found.map(({ name, then, other }) => `${name}: ${then}, ${other}`)).toEqual(said);
});

const OPTIONS =
  "def make(args):\n    return [0] * args.n\ndef read(args):\n    return load(args.k)\n";
const LOOP = "for e in r:\n    w = step(w)\n";

test.each<[string, then: string, now: string, said: readonly string[]]>([
  [
    "an option that another one was called by",
    OPTIONS + LOOP,
    `${OPTIONS.replace("args.n", "args.h").replace("args.k", "args.n")}${LOOP}    print('q', w / args.n) #+\n`,
    ["n may mean something else there"],
  ],
  [
    "an option that is used once more",
    OPTIONS + LOOP,
    `${OPTIONS.replace("args.k", "args.n")}${LOOP}    print('q', w / args.n) #+\n`,
    [],
  ],
])("words: %s", (_, before, after, said) => {
  const { edits, starts } = asked("a.py", before, after);
  expect(handedWordsOf(edits, starts)).toEqual(said);
});

function asked(
  file: string,
  before: string,
  after: string,
): {
  readonly edits: Map<string, ReturnType<typeof editBetween>>;
  readonly starts: Map<string, Set<number>>;
} {
  const marks = [...after.matchAll(/^.*(?:#|\/\/)\+$/gm)];
  const starts = new Set(marks.map(({ index, 0: line }) => index + line.search(/\S/)));
  const [then, now] = [parsed(file, before), parsed(file, after)];
  if (!then || !now) throw new Error("it does not parse");
  const edit = editBetween(then, now, recognitionBetween(then, now, { handsFree: true }));
  return { edits: new Map([[file, edit]]), starts: new Map([[file, starts]]) };
}
