/** @file The words of the commands by which people say something of runs, and remove them. */

export const ANNOTATING_COMMANDS = {
  tag: {
    summary: "put tags on runs, or take them away",
    description: [
      "Each +WORD is put on the runs, each -WORD taken away; without either it shows their tags, and",
      "without a run, too, all tags that there are. In SQL: 'good' in tags.",
    ],
    notes: [
      "What is said of runs (tags, notes, names, hidden) is kept beside them, in",
      "`.afterlog/annotations.jsonl`: a sealed run never changes. It travels by `push` and `pull`;",
      "where two machines said different things, what was said last counts.",
    ],
    arguments: [
      { name: "[runs...]", help: "runs, and +TAG or -TAG; the newest run if none is named" },
    ],
    options: [
      {
        flags: "-w, --where <sql>",
        help: "all runs for which this holds, e.g. \"status = 'failed'\"",
      },
    ],
    examples: [
      { line: "afterlog tag @ +good", says: "the newest run is good" },
      { line: 'afterlog tag -w "accuracy < 0.5" +bad -good', says: "some at once" },
      { line: "afterlog tag", says: "all tags; the runs: afterlog ls -w \"'good' in tags\"" },
    ],
  },
  note: {
    summary: "write a note to a run, or read it",
    description: [
      "A run has one note; a new one takes the place of the old one, which is printed.",
    ],
    arguments: [
      { name: "<run>", help: "@ (newest), @~1, an id or the beginning of one, or a name" },
      { name: "[text]", help: "the note; without it the note is shown" },
    ],
    options: [{ flags: "--remove", help: "take the note away" }],
    examples: [{ line: 'afterlog note @ "the first with the new labels"', says: "what it was" }],
  },
  name: {
    summary: "give a run a name, by which it is shown and named",
    description: [
      "A named run is shown by its name in tables and messages, and can be named by it wherever a run",
      "is. --ids shows ids all the same, and so do pipes and --json.",
    ],
    notes: [
      "A name is one word that no other run has, and no beginning of an id. Where several runs have",
      "one name all the same (they were recorded with it, or on other machines), each is shown, and",
      "can be named, as NAME~ and the last four characters of its id.",
    ],
    arguments: [
      { name: "<run>", help: "@ (newest), @~1, an id or the beginning of one, or a name" },
      { name: "[name]", help: "the name; without it the run's name is shown" },
    ],
    options: [{ flags: "--remove", help: "take the name away" }],
    examples: [{ line: "afterlog name @ baseline", says: "afterwards: afterlog diff baseline @" }],
  },
  hide: {
    summary: "leave runs out of ls",
    description: [
      "Hidden runs are left out of `ls`, which says how many they are. Nothing else changes: they are",
      'in frames, plans and SQL (`-w "not hidden"` leaves them out there).',
    ],
    arguments: [
      {
        name: "[runs...]",
        help: "@ (newest), @~1, ids or beginnings of them, names; several at once",
      },
    ],
    options: [
      {
        flags: "-w, --where <sql>",
        help: "all runs for which this holds, e.g. \"status = 'failed'\"",
      },
      { flags: "--undo", help: "show them again" },
    ],
  },
  rm: {
    summary: "move runs to the trash, from which they come back",
    description: [
      "Moves runs and the replays of them to the trash; all that were named, or none. A run that is",
      "recorded or replayed, and one from which a fork began, is needed and stays.",
    ],
    notes: [
      "`gc --trash` empties the trash, and only then are bytes freed and the kept versions removed. A",
      "run in the trash is not received again by `pull`. One that was removed for good is, as long",
      "as the remote has it.",
    ],
    arguments: [
      {
        name: "[runs...]",
        help: "@ (newest), @~1, ids or beginnings of them, names; several at once",
      },
    ],
    options: [
      {
        flags: "-w, --where <sql>",
        help: "all runs for which this holds, e.g. \"status = 'failed'\"",
      },
      { flags: "--undo", help: "move runs back out of the trash; all of them if none is named" },
      { flags: "--list", help: "show what is in the trash" },
    ],
    examples: [
      { line: "afterlog rm -w \"status = 'failed'\"", says: "all that failed" },
      { line: "afterlog rm --undo", says: "all that is in the trash comes back" },
    ],
  },
} as const;
