/** @file The words of the commands over the history of runs. */

export const HISTORY_COMMANDS = {
  bisect: {
    summary: "find the first run for which a condition holds",
    description: [
      "Goes through the runs by halves: values that are there cost nothing, others are replayed,",
      "about log2 N of N runs. Says the price first, and asks.",
    ],
    arguments: [
      { name: "<condition>", help: "SQL that holds for bad runs, e.g. 'f1_seven < 0.4'" },
    ],
    options: [
      {
        flags: "--good <run>",
        help: "a run that is good; the oldest that can answer if not given",
      },
      {
        flags: "--bad <run>",
        help: "a run that is bad; the newest that can answer if not given",
      },
      { flags: "-y, --yes", help: "start without asking" },
      { flags: "--trust <remote>", help: "execute code that came from there", repeatable: true },
      {
        flags: "-j, --jobs <n>",
        help: "processes at a time",
        value: "jobs",
        setting: "replay.workers",
      },
    ],
    examples: [{ line: "afterlog bisect 'f1_seven < 0.4' --bad @", says: "since when" }],
  },
  diff: {
    summary: "what is different between two runs",
    description: ["Compares arguments, last values, source and environment of two runs."],
    arguments: [
      { name: "<run>", help: "@ (newest), @~1, an id or the beginning of one, or a name" },
      { name: "[other]", help: "the run to compare it with; the one before it if not given" },
    ],
    options: [{ flags: "--all", help: "also what is the same, and the whole source diff" }],
  },
  push: {
    summary: "send runs to a git remote",
    description: [
      "Sends versions and sealed logs of runs, under hidden refs. Checkpoints stay here. The",
      "commits that the runs were made on travel with them, and so do their uncommitted files,",
      "but none that looks like a secret. Says first what it sends.",
    ],
    arguments: [
      { name: "<remote>", help: "name of a git remote, a URL, or the path of a repository" },
    ],
    options: [
      { flags: "-n, --dry-run", help: "only say what would go" },
      {
        flags: "--without-secrets",
        help: "take files that look like secrets out of the versions here, and send these",
      },
      { flags: "-y, --yes", help: "do not ask" },
    ],
    notes: [
      "Says first what it sends. A version that holds an untracked file that looks like a secret (by its",
      "name, or by a key in it) is not sent, nor is its run; nor is a run with a token in an argument or a",
      "logged value, nor a note with one. `record.not_secret` names those that are none.",
    ],
  },
  pull: {
    summary: "receive runs from a git remote",
    description: [
      "Receives versions and logs of runs that other machines have sent. Each is checked, and one",
      "that is not sound is named and left out. What is pulled can be read at once; its code is",
      "executed only when you trust the remote (afterlog trust).",
    ],
    arguments: [
      { name: "<remote>", help: "name of a git remote, a URL, or the path of a repository" },
    ],
  },
  trust: {
    summary: "say whose pulled code may be executed here",
    description: [
      "Runs that came by pull are somebody else's programs: replay, bisect, check, fork and run --resume",
      "execute them only when you have trusted the remote, by its address. Without a remote it",
      "lists those of this project. It is kept in your own configuration, not in the project.",
    ],
    arguments: [
      { name: "[remote]", help: "name of a git remote, a URL, or the path of a repository" },
    ],
    options: [{ flags: "--withdraw", help: "trust it no more" }],
    examples: [{ line: "afterlog trust origin", says: "all who can write to it" }],
  },
} as const;
