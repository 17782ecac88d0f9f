/**
 * @file What people type that cannot be meant so: each row an input, what it is answered with, and
 * what is there afterwards that was not. A new feature brings rows of its own.
 */

import { listCommands } from "../../src/cli/commands/command-table.ts";
import { ALERTED, ANNOTATED, BRANCHED } from "./said-of-runs.ts";

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

/** Symbolic links, and where each leads. */
export const LINKS: { readonly [name: string]: string } = {
  "link.py": "train.py",
  "link.ts": "train.ts",
  link: "train.py",
  "away.py": "../ELSEWHERE",
  "nowhere.py": "gone.py",
  "circle.py": "circle.py",
};

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
  "data.csv": "mine\n1\n",
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

const NO_QUERY = ["", " ", ";", "-- all runs", "/* all */ ;"].flatMap((sql): Misuse[] => {
  const answer = { code: 1, says: [/AL020\]: it holds no query/, /help: give one: {2}"select /] };
  return [
    { what: "no query", argv: ["query", sql], ...answer },
    { what: "no query", argv: ["export", "query", sql, "--out", "new.csv"], ...answer },
  ].slice(0, sql === "" ? 2 : 1);
});

/** What the small commands are given. */
const SMALL: readonly Misuse[] = [
  {
    what: "no number to draw",
    argv: ["plot", "filename"],
    code: 1,
    says: [/AL021\]: "filename" has no numbers/],
  },
  {
    what: "nobody logged it",
    argv: ["plot", "los"],
    code: 1,
    says: [/AL021/, /did you mean "loss"/],
  },
  {
    what: "no such axis",
    argv: ["plot", "loss", "-x", "epohc"],
    code: 1,
    says: [/AL021.*"epohc"/, /help: /],
  },
  {
    what: "no such run",
    argv: ["tail", "nope"],
    code: 1,
    says: [/AL004\]: there is no run "nope"/, /help: /],
  },
  {
    what: "no whole number",
    argv: ["tail", "-n", "-1"],
    code: 2,
    says: [/AL001/, /help: see {2}afterlog tail/],
  },
  {
    what: "names that it has not",
    argv: ["tail", "-c", "nope"],
    code: 0,
    says: [/has logged none of these/],
  },
  {
    what: "nothing is under way",
    argv: ["watch"],
    code: 1,
    says: [/AL004\]: no run and no replay is under way/],
  },
  {
    what: "no such replay",
    argv: ["watch", "r99"],
    code: 1,
    says: [/AL004\]: there is no run "r99"/],
  },
  {
    what: "no such shell",
    argv: ["completion", "tcsh"],
    code: 2,
    says: [/AL001.*"tcsh"/, /bash, zsh, fish/],
  },
  {
    what: "no column to sort by",
    argv: ["ls", "--sort-by", "lss"],
    code: 1,
    says: [/AL021/, /did you mean "loss"/],
  },
];

const NO_CONDITION = [
  ["ls", "-w", ""],
  ["frame", "loss", "-w", "-- x"],
  ["export", "runs", "-w", "", "--out", "new.csv"],
].map((argv): Misuse => ({
  what: "no condition",
  argv,
  code: 1,
  says: [/AL020\]: syntax error: the condition ends too early/, /help: a condition looks like/],
}));

const OVERWRITTEN = ["data.csv", "train.py"].map((file): Misuse => ({
  what: "an export over a file",
  argv: ["export", "frame", "loss", "--format", "csv", "--out", file],
  code: 1,
  says: [/AL042\]: .* exists already/, /help: name another file, or overwrite it with --force/],
}));

const MODES: readonly Misuse[] = [
  ...["Off", " oFF "].map((mode): Misuse => ({
    what: "a switch in other letters",
    argv: ["run", "train.ts"],
    env: { AFTERLOG_MODE: mode },
    code: 0,
    says: [/^$/],
  })),
  {
    what: "a switch that does not exist",
    argv: ["run", "train.ts"],
    env: { AFTERLOG_MODE: "disabled" },
    code: 2,
    says: [/AL008\]: AFTERLOG_MODE=disabled is none of: record, off/, /help: /],
  },
];

const LINKED: readonly Misuse[] = [
  ...["link.py", "link.ts", "link"].map((link): Misuse => ({
    what: "a link in the project",
    argv: ["run", link, "epochs=1"],
    code: 0,
    says: [/✔ \d × epoch/],
    runs: 1,
    files: ["looped"],
  })),
  {
    what: "a link to another place",
    argv: ["run", "away.py"],
    code: 1,
    says: [
      /AL002\]: away\.py is a link to \S+, outside of the project/,
      /help: record it where it/,
    ],
  },
  ...["nowhere.py", "circle.py"].map((link): Misuse => ({
    what: "a link to nothing",
    argv: ["run", link],
    code: 1,
    says: [/AL002\]: \w+\.py is a link to \S+, and there is no such file/, /help: see where it/],
  })),
  { what: "no program", argv: ["run", ""], code: 1, says: [/AL002\]: /, /help: /] },
];

const WORDS: readonly Misuse[] = [
  {
    what: "help on a word that is nearly one",
    argv: ["help", "scan"],
    code: 2,
    says: [
      /AL001\]: there is no command and no topic "scan"/,
      /did you mean {2}afterlog help scans/,
    ],
  },
  ...["epoch=1e400", "epoch=%", "ep%och=1", "epoch="].map((point): Misuse => ({
    what: "a point that is none",
    argv: ["restore", `@@${point}`, "--out", "new.safetensors"],
    code: 1,
    says: [/AL035\]: /, /help: /],
  })),
  {
    what: "a row of a run that is none",
    argv: ["restore", '{"run":"nope","epoch":1}', "--out", "new.safetensors"],
    code: 1,
    says: [/AL004\]: there is no run "nope"/, /help: list the runs/],
  },
  {
    what: "a file that is nearly one which a run read",
    argv: ["affected", "trian.ts"],
    code: 1,
    says: [/AL002\]: trian.ts is no file/, /did you mean train.ts/],
  },
  ...["@~1e9", "@~-1"].map((run): Misuse => ({
    what: "a run that is none",
    argv: ["show", run],
    code: 1,
    says: [new RegExp(`AL004\\]: there is no run "${run}"`), /help: list the runs/],
  })),
];

/** What every command is asked in the same way. */
const EVERYWHERE: readonly Misuse[] = listCommands().flatMap(({ name, arguments: words }) => {
  const needed = words.filter((word) => word.name.startsWith("<"));
  const unknown: Misuse = {
    what: "an option that there is not",
    argv: name === "run" ? [name, "--nope", "train.ts"] : [name, "--nope"],
    code: 2,
    says: [/AL001\]: unknown option '--nope'/, new RegExp(`help: see {2}afterlog ${name} --help`)],
  };
  const lacking: Misuse = {
    what: "nothing where a word is needed",
    argv: [name],
    code: 2,
    says: [/AL001\]: missing required argument/, new RegExp(`afterlog ${name} --help`)],
  };
  const nobody: Misuse = {
    what: "a run that is none",
    argv: [name, "nobody", ...needed.slice(1).map(() => "loss")],
    code: 1,
    says: [/AL004\]: there is no run "nobody"/, /help: list the runs/],
  };
  // `annotating` has rows of its own.
  const isOfRuns = ["why", "show", "check", "restore", "fork", "diff", "tail"].includes(name);
  return [unknown, ...(needed.length > 0 ? [lacking] : []), ...(isOfRuns ? [nobody] : [])];
});

const NUMBERS: readonly Misuse[] = [
  ...["ls", "frame loss"].flatMap((command) =>
    ["x", "-1", "1.5", "", "1e"].map((limit) => [...command.split(" "), "-L", limit]),
  ),
  ...["replay loss", "plan loss", "check", "bisect loss<1", "resume", "alert ls"].flatMap(
    (command) => ["0", "x"].map((jobs) => [...command.split(" "), "-j", jobs]),
  ),
].map((argv) => ({
  what: "a number that is none",
  argv,
  code: 2,
  says: [/AL001\]: option .* is invalid\. It must be a whole number/, /help: see {2}afterlog /],
}));

const NO_SUCH: readonly Misuse[] = [
  ...[
    ["why", "@", "nope"],
    ["frame", "nope"],
    ["plan", "nope"],
    ["where", "nope"],
    ["bisect", "nope < 1", "-y"],
    ["why", "@", "loss", "epoch=99"],
  ].map((argv) => ({ argv, code: 1, says: /AL021\]: / })),
  ...["cancel", "resume"].map((name) => ({
    argv: [name, "r9"],
    code: 1,
    says: /AL050\]: there is no replay r9/,
  })),
  ...["push", "pull", "trust"].map((name) => ({
    argv: [name, "nowhere"],
    code: 1,
    says: /AL046\]: there is no remote "nowhere"/,
  })),
  { argv: ["affected", "nofile"], code: 1, says: /AL002\]: nofile is no file/ },
  { argv: ["run", "nope.ts"], code: 1, says: /AL002\]: there is no file nope\.ts/ },
  { argv: ["demo", "train.ts"], code: 1, says: /AL006\]: train\.ts is no folder/ },
  { argv: ["fork", "@", "nope=1"], code: 2, says: /AL001\]: "nope=1" is not an argument/ },
  { argv: ["gc"], code: 2, says: /AL001\]: nothing to do without a policy/ },
  { argv: ["gc", "--policy", "nope"], code: 2, says: /AL001\]: --policy nope is no policy/ },
  { argv: ["export", "nope"], code: 2, says: /AL001\]: cannot export "nope"/ },
  { argv: ["export", "runs", "--format", "nope"], code: 2, says: /AL001\]: no format "nope"/ },
  { argv: ["query", "select * from nope"], code: 1, says: /AL020\]: [^]*help: known: runs, / },
  { argv: ["query", "delete from runs"], code: 1, says: /AL020\]: / },
  { argv: ["diff", "@"], code: 1, says: /AL004\]: there is no run before/ },
].map(({ argv, code, says }) => ({
  what: "something that there is not",
  argv,
  code,
  says: [says, /help: /],
}));

export const MISUSES: readonly Misuse[] = [
  // Of the one run that there is: rows behind these record others.
  ...NO_SUCH,
  ...BRANCHED,
  {
    what: "a folder for init, which takes that around where it is called",
    argv: ["init", "somewhere"],
    code: 2,
    says: [/AL001\]: too many arguments/, /help: see {2}afterlog init --help/],
  },
  ...NOT_FINITE,
  ...NO_QUERY,
  ...NO_CONDITION,
  ...SMALL,
  ...OVERWRITTEN,
  ...MODES,
  ...LINKED,
  ...WORDS,
  ...ANNOTATED,
  ...ALERTED,
  ...EVERYWHERE,
  ...NUMBERS,
];
