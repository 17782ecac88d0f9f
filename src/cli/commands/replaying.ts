/** @file The words of the commands that ask runs for more than they logged. */

export const REPLAYING_COMMANDS = {
  plan: {
    summary: "what a replay would do, and how long it would take",
    description: [
      "Finds the log statements of these names in the working tree and shows which runs would be",
      "replayed, how much of each, from which checkpoints and for how long. Starts nothing.",
      "Without a name it is about every log call that was added since the newest run.",
    ],
    arguments: [
      {
        name: "[names...]",
        help: "names to be logged, FILE:LINE of a log call, or 'name = expression' with --at",
      },
    ],
    optionGroup: "question",
    options: [{ flags: "-o, --out <file>", help: "write the plan, for  afterlog replay --plan" }],
    examples: [{ line: 'afterlog plan grad_norm -w "lr < 0.01"', says: "of some runs" }],
  },
  replay: {
    summary: "fill in values that runs did not log",
    description: [
      "Shows the plan, asks, replays one part first (the canary), then the rest. Runs in trees of",
      "its own; your files are not touched. Ctrl-C keeps what is finished.",
      "Without a name it asks every log call that was added since the newest run.",
    ],
    arguments: [
      {
        name: "[names...]",
        help: "names to be logged, FILE:LINE of a log call, or 'name = expression' with --at",
      },
    ],
    optionGroup: "question",
    options: [
      { flags: "-y, --yes", help: "start without asking" },
      { flags: "--no-canary", help: "all at once", setting: "replay.canary" },
      { flags: "--no-control", help: "in one way only", setting: "replay.control" },
      {
        flags: "--plan <file>",
        help: "execute a plan that was written with  afterlog plan --out",
      },
      {
        flags: "--max-time <time>",
        help: "stop after this long, e.g. 10m",
        value: "seconds",
        setting: "replay.max_time",
      },
      { flags: "--await-go", help: "after the canary wait for  afterlog go  instead of asking" },
      { flags: "--newest-first", help: "the newest runs first, not the longest" },
      { flags: "--trust <remote>", help: "execute code that came from there", repeatable: true },
    ],
    examples: [
      { line: "afterlog replay", says: "every log call that was added" },
      { line: "afterlog replay grad_norm", says: "a log statement that the source has by now" },
      { line: "afterlog replay train.py:41", says: "the one on that line" },
      {
        line: "afterlog replay --at train.ts:57 'norm = l2(grads)' -w \"epoch = 7\" -y",
        says: "one that it has not",
      },
    ],
  },
  resume: {
    summary: "continue a replay that was stopped",
    arguments: [
      {
        name: "[id]",
        help: "a replay, as  afterlog ps --all  lists them; the newest if not given",
      },
    ],
    options: [
      { flags: "--skip <run>", help: "leave this run out", repeatable: true },
      { flags: "--trust <remote>", help: "execute code that came from there", repeatable: true },
      { flags: "-j, --jobs <n>", help: "processes at a time", value: "jobs" },
      {
        flags: "--max-time <time>",
        help: "stop after this long, e.g. 10m",
        value: "seconds",
        setting: "replay.max_time",
      },
    ],
    examples: [{ line: "afterlog resume r4 --skip @~2", says: "without a run that always fails" }],
  },
  go: {
    summary: "let a replay go on that waits after its canary",
    description: [
      "A replay that was started with --await-go, or as a canary on the page, waits for this.",
    ],
    arguments: [{ name: "<id>", help: "a replay, as  afterlog ps  lists them" }],
  },
  cancel: {
    summary: "stop a running replay; finished cells are kept",
    arguments: [{ name: "<id>", help: "a replay, as  afterlog ps  lists them" }],
  },
  ps: {
    summary: "replays that run",
    options: [{ flags: "-a, --all", help: "also those that have ended" }],
  },
  why: {
    summary: "where a value comes from",
    description: ["Shows the statement, version, scan, checkpoint and replay behind one value."],
    arguments: [
      {
        name: "<run>",
        help: "@ (newest), @~1, an id or the beginning of one; or RUN@epoch=3,step=17",
      },
      { name: "<name>", help: "the logged name" },
      {
        name: "[path]",
        help: "where in the loops, e.g. epoch=3,step=17; the last value if not given",
      },
    ],
    examples: [{ line: "afterlog why @ grad_norm epoch=3", says: "and what its mark rests on" }],
  },
  check: {
    summary: "execute a run again and compare all that it logged",
    description: [
      "Executes the run as it was, in a tree of its own, and compares every value with the record.",
      "With -j N it is cut at its checkpoints, so that restoring them is checked too.",
    ],
    arguments: [
      {
        name: "[run]",
        help: "@ (newest), @~1, an id or the beginning of one, or a name",
        default: "@",
      },
    ],
    options: [
      { flags: "--explain", help: "say where to look at what differs" },
      { flags: "--trust <remote>", help: "execute code that came from there", repeatable: true },
      { flags: "-j, --jobs <n>", help: "processes at a time", value: "jobs" },
    ],
  },
  restore: {
    summary: "go back: a checkpoint as a file, a run's source as a branch",
    description: [
      "With --out the tensors of a checkpoint are written to a safetensors file; with --branch the",
      "source of the run becomes a new branch of your repository. That is the only ref of yours that",
      "Afterlog ever makes; it asks first. Working tree, index and HEAD stay as they are.",
      "",
      "A row of a frame leads to its checkpoint too: the column `checkpoint` names it, and the row",
      "itself, as JSON, may stand in the place of RUN@epoch=3. If none was taken at the row, the",
      "newest before it is meant, and that is said. Without --out it says where the checkpoint lies.",
    ],
    notes: [
      "The branch is one commit on the commit that the run was made on: the files that were tracked or",
      "could have been, as they were. What `.gitignore` names is not in it, nor a file that looks like",
      "a secret or that was kept by its hash only: they are named.",
    ],
    arguments: [
      { name: "<run>", help: "RUN (its last checkpoint), RUN@end, RUN@epoch=3, or a row as JSON" },
    ],
    options: [
      { flags: "-o, --out <file>", help: "file to write" },
      { flags: "--force", help: "overwrite the file" },
      { flags: "--branch <name>", help: "make a branch of the run's source" },
      { flags: "-y, --yes", help: "do not ask" },
    ],
    examples: [
      {
        line: "afterlog restore @@epoch=3 --out model.safetensors",
        says: "the state after one epoch of the newest run",
      },
      {
        line: "afterlog restore @~3@end --branch rollback --out model.safetensors",
        says: "the last good model, and its source",
      },
    ],
  },
  fork: {
    summary: "train on from a point of a run, with other arguments, data or code",
    description: [
      "Starts a new run of the same program that continues after the end of an iteration of another",
      "run. Arguments that are not given are as they were. The source may differ inside of the loop",
      "that is continued, as long as that loop changes and reads the same names. Data is read as it",
      "lies there now, but for what the restored state holds of it: that is said before it starts.",
      "`show` and `diff` say what the new run was given that the other was not.",
    ],
    arguments: [
      { name: "<run>", help: "RUN@epoch=3; RUN or RUN@end for its last iteration" },
      { name: "[args...]", help: "arguments that differ: lr=0.001 epochs=40" },
    ],
    options: [
      { flags: "--name <name>", help: "a name for the new run" },
      { flags: "--trust <remote>", help: "execute code that came from there", repeatable: true },
    ],
    examples: [{ line: "afterlog fork @@epoch=3 lr=0.001", says: "slower from there on" }],
  },
  gc: {
    summary: "remove checkpoints, and see first what gets slower",
    description: [
      "Removes checkpoints that a policy does not keep, and what killed processes left behind.",
      "Logged values stay, and every question can still be asked; some take longer.",
    ],
    arguments: [
      {
        name: "[runs...]",
        help: "@ (newest), @~1, ids or beginnings of them; all runs if none is given",
      },
    ],
    options: [
      {
        flags: "-p, --policy <policy>",
        help: "what stays: peak:accuracy, peak:loss:min, every:5, 20GB, all",
      },
      { flags: "--trash", help: "empty the trash: what `rm` moved there goes for good" },
      {
        flags: "--order",
        help: "put runs of a clock that was ahead before now, in the order of runs",
      },
      { flags: "-n, --dry-run", help: "only say what would go" },
      { flags: "-y, --yes", help: "do not ask" },
    ],
    examples: [
      { line: "afterlog gc --policy peak:accuracy -n", says: "only the best and the last of each" },
    ],
  },
  where: {
    summary: "where a log statement goes in older versions",
    description: [
      "Shows the place that the statement of a name gets in each past version, and why. What is",
      "decided here is kept, and used by every plan and replay.",
      "With --files it compares two files: afterlog where --files NEW_FILE:LINE OLD_FILE",
    ],
    arguments: [{ name: "[words...]", help: "NAME and maybe a VERSION (a commit or a run)" }],
    options: [
      { flags: "--accept", help: "it lands where it should" },
      { flags: "--at <line>", help: "put it before this line of the older file" },
      { flags: "--edit [text]", help: "write it otherwise; without the text in your editor" },
      { flags: "--exclude", help: "leave these versions out" },
      { flags: "--forget", help: "as if nothing had been decided" },
      {
        flags: "--bring <name>",
        help: "use your function or class of this name, not the version's own",
        repeatable: true,
      },
      { flags: "--files", help: "compare two files, without a project" },
    ],
    examples: [
      { line: "afterlog where grad_norm", says: "its place in every version" },
      { line: "afterlog where grad_norm c605532 --at 41", says: "in one version, by hand" },
    ],
  },
} as const;
