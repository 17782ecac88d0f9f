/** @file The words of the commands that read what runs left. */

export const READING_COMMANDS = {
  ls: {
    summary: "list the runs",
    description: ["Lists the runs, newest first, with their arguments and last logged values."],
    options: [
      { flags: "-w, --where <sql>", help: 'only runs for which this holds, e.g. "lr < 0.01"' },
      {
        flags: "-c, --columns <names>",
        help: "columns to show, separated by commas",
        value: "names",
      },
      {
        flags: "--sort-by <column>",
        help: "sort by a column; column:desc for the largest first",
      },
      { flags: "-L, --limit <n>", help: "how many runs; 0 for all", value: "count" },
      { flags: "--all-columns", help: "also columns that are the same in all runs" },
      { flags: "--only-changed", help: "no column that is the same in all runs" },
      { flags: "--hidden", help: "also runs that were hidden" },
    ],
    examples: [
      { line: 'afterlog ls -w "lr < 0.01" --sort-by accuracy:desc', says: "the best of some runs" },
    ],
  },
  show: {
    summary: "one run at a glance",
    description: ["Shows one run: arguments, version, loops, logged names, checkpoints, problems."],
    arguments: [
      {
        name: "[run]",
        help: "@ (newest), @~1, an id or the beginning of one, or a name",
        default: "@",
      },
    ],
    options: [
      {
        flags: "-p, --part <part>",
        help: "instead: its code with how often lines logged, console, checks or performance",
      },
    ],
    examples: [{ line: "afterlog show @ --part console", says: "what the newest run printed" }],
  },
  ui: {
    summary: "runs, questions and replays as a page in the browser",
    description: [
      "Opens the project's page in the browser: the runs as a table that follows what is recorded and",
      "replayed, and what no run has logged, to be priced, looked at, started and steered. It is served",
      "to this machine alone, by a link that opens it once; Ctrl-C ends it, and no replay.",
    ],
    notes: [
      "Of one project there is one server: where it runs already, the command opens its page and",
      "ends. From another machine: `ssh -L 4300:127.0.0.1:4300 HOST`, and the link that is printed",
      "there. What programs can ask it is in `docs/http.md`.",
    ],
    options: [
      {
        flags: "--port <n>",
        help: "where to listen; the next one if it is taken (4300)",
        value: "count",
      },
      { flags: "--no-open", help: "print the link, and open no browser" },
    ],
    examples: [{ line: "afterlog ui --no-open", says: "over SSH" }],
  },
  frame: {
    summary: "a table of logged names: rows are runs or iterations",
    description: [
      "Shows names as columns. Rows are the deepest loop iterations in which one was logged;",
      "shallower values repeat. Arguments are names too, and projid, started and filename.",
    ],
    arguments: [{ name: "<names...>", help: "names of logged values or arguments" }],
    options: [
      {
        flags: "-w, --where <sql>",
        help: 'only rows for which this holds, e.g. "lr < 0.01 and epoch > 3"',
      },
      {
        flags: "--grain <loop>",
        help: "run, or a loop's name: one row for each, with the last values",
      },
      { flags: "-L, --limit <n>", help: "how many rows; 0 for all", value: "count" },
    ],
    examples: [
      { line: "afterlog frame lr accuracy --grain run", says: "one row a run" },
      { line: 'afterlog frame loss -w "epoch = 7"', says: "every step of one epoch" },
    ],
  },
  plot: {
    summary: "a chart of logged numbers",
    description: [
      "Draws logged numbers as lines, one for each name and run, over the iterations in which they",
      "were logged. What was logged once a run is drawn over the runs.",
    ],
    arguments: [{ name: "<names...>", help: "names of logged numbers or arguments" }],
    options: [
      { flags: "-w, --where <sql>", help: 'only where this holds, e.g. "lr < 0.01 and epoch > 3"' },
      {
        flags: "-x, --x <axis>",
        help: "a loop, of whose iterations the last values are drawn; run; or a name with numbers",
      },
    ],
    examples: [
      {
        line: "afterlog plot loss -x epoch -w \"run >= 'train-202611'\"",
        says: "some runs, by epoch",
      },
      { line: "afterlog plot accuracy -x lr", says: "one point a run" },
    ],
  },
  tail: {
    summary: "the last values that a run logged",
    description: [
      "Prints the last values of a run's log, with the indices of their loops, from 0. It needs no",
      "index, and reads only the end of the file.",
    ],
    arguments: [
      {
        name: "[run]",
        help: "@ (newest), @~1, an id or the beginning of one, or a name",
        default: "@",
      },
    ],
    options: [
      {
        flags: "-c, --columns <names>",
        help: "only these names, separated by commas",
        value: "names",
      },
      { flags: "-n, --lines <n>", help: "how many values; 10 if not given", value: "count" },
      { flags: "-f, --follow", help: "wait for what is logged further, until the run ends" },
    ],
  },
  watch: {
    summary: "follow a run or a replay from another shell",
    description: [
      "Shows how far a run is, and its last values, until it ends; of a replay (r3) what is done.",
      "Ctrl-C ends the watching, and nothing else.",
    ],
    notes: ["The exit code is 0 if what was watched is done, 1 if it failed or was interrupted."],
    arguments: [
      {
        name: "[run]",
        help: "a run or a replay; the run or replay that is under way if not given",
      },
    ],
  },
  query: {
    summary: "read-only SQL over the tables",
    description: [
      "Runs one SQL query (DuckDB) over runs, args, logs, loops, items, checkpoints, profile, files,",
      "ancestry, alerts and the view frame, which docs/sql.md describes.",
    ],
    arguments: [{ name: "<sql>", help: "the query" }],
    options: [
      { flags: "-L, --limit <n>", help: "how many rows; 0 for all", value: "count" },
      {
        flags: "--project <folder>",
        help: "ask this project, with a column project; may be given several times",
        repeatable: true,
      },
    ],
    examples: [
      {
        line: 'afterlog query "SELECT name, count(*) FROM logs GROUP BY name"',
        says: "how often each name was logged",
      },
      {
        line: 'afterlog query --project ../a --project ../b "from runs"',
        says: "the runs of two projects",
      },
    ],
  },
  export: {
    summary: "write tables, frames or queries to files",
    description: [
      "Writes CSV, JSON or Parquet. WHAT is runs, args, logs, loops, items, checkpoints, profile,",
      "files, ancestry, alerts, frame NAME…, or query SQL; without it all tables go into the folder given",
      "by --out.",
    ],
    arguments: [{ name: "[what...]", help: "what to write" }],
    options: [
      { flags: "-o, --out <file>", help: "file to write; standard output without it" },
      {
        flags: "-f, --format <format>",
        help: "csv, json or parquet; else told by the file name",
      },
      { flags: "-w, --where <sql>", help: "only rows for which this holds" },
      { flags: "--grain <loop>", help: "for a frame: run, or a loop's name" },
      { flags: "--force", help: "overwrite what is there" },
    ],
    examples: [
      { line: "afterlog export frame loss accuracy --out frame.parquet", says: "for a notebook" },
    ],
  },
  du: {
    summary: "bytes on disk by run and kind",
    description: ["Shows what runs take on disk, the largest first."],
  },
  affected: {
    summary: "the runs that a data file reached",
    description: [
      "Names the runs that read what the file holds, those that read what such runs wrote, and forks",
      "of them. Content is known by its hash: under which name it was read does not matter. Where",
      "there is no hash to compare, the name tells, and `certain` is false.",
    ],
    notes: [
      "A file above 16 MiB is known by samples. What a run wrote after it read the file counts as",
      "reached, whatever it was made of.",
    ],
    arguments: [{ name: "<file>", help: "the file, as it lies there" }],
    options: [
      { flags: "--run <run>", help: "what this run read there, instead of what it holds now" },
    ],
    examples: [
      {
        line: "afterlog affected data/labels.csv --run @~3",
        says: "who trained on the bad labels",
      },
    ],
  },
  completion: {
    summary: "completion of words for a shell",
    description: [
      "Prints a script that completes commands, options, runs and logged names. Pressing the key",
      "loads no database: names are those of the last time that the index was brought up to date.",
    ],
    arguments: [{ name: "<shell>", help: "bash, zsh or fish" }],
    examples: [
      { line: "afterlog completion bash >> ~/.bashrc", says: "for bash" },
      { line: "afterlog completion zsh >> ~/.zshrc", says: "for zsh, after compinit" },
      {
        line: "afterlog completion fish > ~/.config/fish/completions/afterlog.fish",
        says: "for fish",
      },
    ],
  },
  config: {
    summary: "settings, and where each comes from",
    description: [
      "Shows every setting with its value and where that comes from: the environment, the file",
      "afterlog.toml in the project's folder, or the default. Flags come before all of them.",
    ],
    notes: ["`docs/configuration.md` lists the settings. The exit code is 2 if one is wrong."],
  },
} as const;
