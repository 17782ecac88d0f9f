/** @file Rows of misuses about what is said of runs, branches of their source, and alerts. */
import type { Misuse } from "./misuses.ts";

export const BRANCHED = [
  ["@", "b", "AL038\\]: train-\\S+ was recorded outside of a git repository"],
  ["@", "", "AL038\\]: "],
  ["nobody", "b", 'AL004\\]: there is no run "nobody"'],
  ["@@epoch=9", "b", "AL035\\]: \\S+ has no checkpoint at epoch=9"],
  ['{"epoch":1}', "b", "AL001\\]: that is no row of a frame"],
].map(([run = "", branch = "", says = ""]): Misuse => ({
  what: "a branch of nothing",
  argv: ["restore", run, "--branch", branch, "-y"],
  code: says.startsWith("AL001") ? 2 : 1,
  says: [new RegExp(says), /help: /],
}));

export const ALERTED = [
  ["no such action", ["fire"], 2, 'AL001\\]: alert cannot "fire"'],
  ["nearly an action", ["tset", "x"], 2, "did you mean {2}afterlog alert test"],
  ["no name", ["add"], 2, "AL001\\]: a word is missing"],
  ["no condition", ["add", "low"], 2, "AL001\\]: a word is missing"],
  ["a condition in pieces", ["add", "low", "loss", "<", "1"], 2, "put it into quotes"],
  ["an option of another action", ["ls", "--off"], 2, "--off says nothing to {2}afterlog alert ls"],
  ["an option of another action", ["arm", "x", "--call", "true"], 2, "--call says nothing to"],
  ...["", "two words", "a/b", "@", "\u001b[2J", "x".repeat(61)].map(
    (name) =>
      [
        "a name that is none",
        ["add", name, "loss < 1"],
        1,
        "AL009\\]: .* cannot be an alert",
      ] as const,
  ),
  ...["", "loss <", "-- x", "loss < 1; drop table runs", "select 1"].map(
    (sql) => ["a condition that is none", ["add", "low", sql], 1, "AL020\\]: "] as const,
  ),
  [
    "a condition on no value",
    ["add", "low", "epochs > 1"],
    1,
    "AL020\\]: the condition is on no logged value",
  ],
  [
    "a condition of a book",
    ["add", "low", `loss < 1${" or loss < 2".repeat(400)}`],
    1,
    "AL009\\]: ",
  ],
  ...["arm", "rm", "test"].map(
    (action) =>
      ["no such alert", [action, "nope"], 1, 'AL039\\]: there is no alert "nope"'] as const,
  ),
  ["a run that is none", ["watch", "nope"], 1, 'AL004\\]: there is no run "nope"'],
  ["nobody logs it", ["test", "nope < 1", "-y"], 1, "AL021\\]: .*nope"],
  ["nothing armed", ["watch", "@"], 0, "^$"],
].map(([what, argv, code, says]): Misuse => ({
  what: what as string,
  argv: ["alert", ...(argv as readonly string[])],
  code: code as number,
  says: [new RegExp(says as string), ...(code === 0 ? [] : [/help: /])],
}));

const NO_NAMES = [
  ["@", /@ is the newest run/],
  ["@~1", /@ is the newest run/],
  ["train", /an id begins with it/],
  ["train-20261119", /it looks like the id of a run/],
  ["my run", /it holds blanks[^]*for example {2}my-run/],
  ["a/b", /it looks like a path/],
  ["..", /begins with a letter or a digit/],
  ["train.py", /it looks like a program/],
  ["0123456789abcdef", /it looks like a commit/],
  ["a~x7q2", /it may hold letters/],
  ["a@epoch=3", /it may hold letters/],
  ["x".repeat(61), /it is longer than 60 characters/],
  ["\u001b[2J", /it may hold letters/],
].flatMap(([name, why]): Misuse[] => {
  const says = [/AL009\]: a run cannot be called "/, why as RegExp, /help: /];
  const given = { what: "a name that means something else", code: 1, says };
  return [
    { ...given, argv: ["name", "@", name as string] },
    // Before a program begins nothing is known of other runs.
    ...(name === "train"
      ? []
      : [{ ...given, argv: ["run", "--name", name as string, "train.ts"] }]),
  ];
});

export const ANNOTATED: readonly Misuse[] = [
  ...NO_NAMES,
  ...["name", "note", "tag", "hide", "rm"].map((command): Misuse => ({
    what: "a run that is none",
    argv: [command, "nobody", ...(command === "tag" ? ["+x"] : [])],
    code: 1,
    says: [/AL004\]: there is no run "nobody"/, /help: /],
  })),
  ...["hide", "rm"].map((command): Misuse => ({
    what: "no run at all",
    argv: [command],
    code: 2,
    says: [/AL001\]: no run is named/, /help: name runs, or say which/],
  })),
  ...["hide", "rm", "tag"].map((command): Misuse => ({
    what: "a condition that holds for no run",
    argv: [command, "-w", "loss > 1e9", ...(command === "tag" ? ["+x"] : [])],
    code: 1,
    says: [/AL004\]: no run matches {2}loss > 1e9/, /help: /],
  })),
  ...["hide", "rm", "tag"].map((command): Misuse => ({
    what: "a condition that is none",
    argv: [command, "-w", "los > 1", ...(command === "tag" ? ["+x"] : [])],
    code: 1,
    says: [/AL02[01]\]: /, /help: /],
  })),
  {
    what: "a tag that the run does not have",
    argv: ["tag", "@", "-godo"],
    code: 1,
    says: [/AL009\]: the run has no tag "godo"/, /help: see all tags/],
  },
  ...["+", "+two words", "+a/b", "+\u202e"].map((tag): Misuse => ({
    what: "a tag that is none",
    argv: ["tag", "@", tag],
    code: 1,
    says: [/AL009\]: ".*" cannot be a tag: /, /help: a tag is one word/],
  })),
  {
    what: "a tag that is put on and taken away",
    argv: ["tag", "@", "+a", "-a"],
    code: 1,
    says: [/AL009\]: a is to be added and taken away/, /help: /],
  },
  ...["", " ", "\u001b[31mred", "x".repeat(10_001)].map((note): Misuse => ({
    what: "a note that is none",
    argv: ["note", "@", note],
    code: 1,
    says: [/AL009\]: that cannot be a note: /, /help: a note is text/],
  })),
  ...["note", "name"].map((command): Misuse => ({
    what: "one to take away and one to give",
    argv: [command, "@", "x", "--remove"],
    code: 2,
    says: [/AL001\]: --remove takes the/, /help: /],
  })),
  {
    what: "back out of an empty trash",
    argv: ["rm", "--undo", "@"],
    code: 1,
    says: [/AL004\]: the trash is empty/, /help: /],
  },
  {
    what: "a condition on what is in the trash",
    argv: ["rm", "--undo", "-w", "loss > 0"],
    code: 2,
    says: [/AL001\]: --where is about runs that are not in the trash/, /help: /],
  },
  {
    what: "a policy for the trash",
    argv: ["gc", "--trash", "--policy", "every:2"],
    code: 2,
    says: [/AL001\]: --trash empties the whole trash/, /help: /],
  },
  ...[["--policy", "every:2"], ["@"]].map((words): Misuse => ({
    what: "a choice of runs for the order",
    argv: ["gc", "--order", ...words],
    code: 2,
    says: [/AL001\]: --order is about all runs whose clock was ahead/, /help: /],
  })),
  {
    what: "an order that is right",
    argv: ["gc", "--order", "-y"],
    code: 0,
    says: [/no run is more than a day ahead/],
  },
  { what: "an empty trash", argv: ["gc", "--trash", "-y"], code: 0, says: [/the trash is empty/] },
];
