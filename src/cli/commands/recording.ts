/** @file The words of the commands that record. */

export const RECORDING_COMMANDS = {
  init: {
    summary: "write afterlog.toml, with every setting as a comment",
    description: [
      "Writes afterlog.toml into the project's folder, with every setting and its default as a",
      "comment, and keeps .afterlog/ out of git (by .git/info/exclude). Nothing that is there is",
      "changed. It is not needed: the first run makes the project, too.",
    ],
  },
  run: {
    summary: "record a TypeScript, JavaScript or Python program",
    description: ["record a TypeScript, JavaScript or Python program"],
    notes: [
      "Keeps the log, the state in checkpoints and the source of the run in `.afterlog/`. Options",
      "of Afterlog stand before the file; what follows it belongs to the program.",
      "`--resume=RUN` resumes that run instead of the newest. The exit code is the program's",
      "own, or 128 plus the number of the signal that ended it; `--json`, as standard output is",
      "the program's, ends with one object on standard error.",
    ],
    arguments: [
      { name: "<file>", help: "the program" },
      { name: "[args...]", help: "its arguments: lr=0.01 or --lr 0.01" },
    ],
    passThrough: true,
    options: [
      { flags: "--name <name>", help: "a name for the run, one word (afterlog name changes it)" },
      {
        flags: "--seed <n>",
        help: "seed of the random generators",
        setting: "record.seed",
      },
      {
        flags: "--overhead <share>",
        help: "most that recording may cost: 0.02 or 2%; inf for every checkpoint",
        setting: "record.overhead",
      },
      {
        flags: "--keep <policy>",
        help: "which checkpoints stay: all, peak:accuracy, every:5, 20GB, steps:2GB",
        setting: "record.keep",
      },
      {
        flags: "--hands-free",
        help: "find the loops of a program that imports afterlog, too",
      },
      { flags: "--no-hands-free", help: "record only what the program asks Afterlog to" },
      {
        flags: "--console <regexp>",
        help: "a rule of your own for printed lines: its named groups are logged",
        setting: "record.console",
      },
      {
        flags: "--no-console",
        help: "take no values from what a hands-free program prints",
        setting: "record.console",
      },
      {
        flags: "--resume",
        help: "resume the newest run of the program, if it was interrupted",
      },
      { flags: "--resume-run <run>", help: "", hidden: true },
      {
        flags: "--force",
        help: "with --resume: whoever recorded it on another machine is gone",
      },
      { flags: "--auto-resume <n>", help: "resume so often after a crash" },
      { flags: "--trust <remote>", help: "execute code that came from there", repeatable: true },
      {
        flags: "--python <command>",
        help: "interpreter of a Python program (active environment, python3)",
      },
      {
        flags: "--grace <seconds>",
        help: "time for a last checkpoint after SIGTERM (10)",
        setting: "record.grace",
      },
    ],
    examples: [
      { line: "afterlog run train.ts epochs=8 lr=0.005", says: "record a program" },
      {
        line: "afterlog run --overhead 2% --keep peak:accuracy train.py",
        says: "cheaper, smaller",
      },
      { line: "afterlog run --resume train.ts", says: "resume where it was interrupted" },
      { line: "afterlog run --auto-resume 3 train.ts", says: "the same by itself after a crash" },
    ],
  },
  demo: {
    summary: "nine weeks of a changing script, asked for what it did not log",
    description: ["nine weeks of a changing script, asked for what it did not log"],
    arguments: [
      { name: "[folder]", help: "where to make the project (a temporary folder if not given)" },
    ],
    options: [
      { flags: "--until <scene>", help: "stop before a scene: ask, which is the question" },
      { flags: "--ui", help: "stop there, and open the page in the browser" },
    ],
  },
} as const;
