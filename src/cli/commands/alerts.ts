/** @file The words of the command of alerts. */

export const ALERT_COMMANDS = {
  alert: {
    summary: "say where a condition on logged values holds: in past runs, and while others train",
    description: [
      "Keeps conditions on logged values, in the words of --where (f1 < 0.4 and epoch > 3). `add` makes",
      "one; `test` says in which past runs it would have fired, against their tags +good and +bad, and",
      "replays what is missing, after the price was said; `arm` holds every run that begins from now on",
      "to it, while it trains; `ls` lists them, `rm` takes one away.",
      "",
      "An alert fires once in a run, at the first iteration where it holds. That is printed, and noted:",
      "`show`, `ls` and the table `alerts` of SQL say it. It is looked for in a process of its own; a",
      "fault there never reaches the program.",
    ],
    notes: [
      "An iteration in which a name has no value says nothing. `test` takes a condition, too, and tries",
      "other numbers in the place of the one that it compares with.",
      "",
      "Alerts stay on this machine, in `.afterlog/alerts.jsonl`; what fired travels by `push`, as tags do.",
      "The command of --call is a line for your shell. It is kept in your own configuration, so that no",
      "project that you clone or pull brings one. It gets `AFTERLOG_ALERT`, `AFTERLOG_CONDITION`,",
      "`AFTERLOG_RUN`, `AFTERLOG_POINT` (`epoch=3`) and `AFTERLOG_VALUES` (JSON) in its environment.",
      "`alert watch RUN` is what is started beside a run.",
    ],
    arguments: [
      { name: "<action>", help: "add, test, arm, ls, rm, watch" },
      {
        name: "[words...]",
        help: "NAME CONDITION for add; NAME, or for test a condition; RUN for watch",
      },
    ],
    options: [
      { flags: "--call <command>", help: "add: a command to call when it fires" },
      { flags: "--arm", help: "add: arm it at once" },
      { flags: "--off", help: "arm: runs are held to it no more" },
      { flags: "-y, --yes", help: "test: replay without asking" },
      { flags: "--trust <remote>", help: "execute code that came from there", repeatable: true },
      {
        flags: "-j, --jobs <n>",
        help: "processes at a time",
        value: "jobs",
        setting: "replay.workers",
      },
    ],
    examples: [
      { line: 'afterlog alert test "f1_ped < 0.4"', says: "what it would have done" },
      {
        line: `afterlog alert add low "f1_ped < 0.4" --arm --call 'notify-send "$AFTERLOG_RUN"'`,
        says: "from now on",
      },
    ],
  },
} as const;
