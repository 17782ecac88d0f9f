/** @file Options that more than one command takes. */

/** Every command takes these, before or after its name. */
export const GLOBAL_OPTIONS = [
  { flags: "--json", help: "data as JSON" },
  { flags: "-C <dir>", help: "as if started in this folder" },
  { flags: "-v, --verbose", help: "say more" },
  { flags: "--no-color", help: "no colours" },
  { flags: "--ids", help: "runs by their ids, also where they have names" },
] as const;

export const OPTION_GROUPS = {
  question: [
    { flags: "-w, --where <sql>", help: 'only where this holds, e.g. "epoch = 7 and lr < 0.01"' },
    {
      flags: "--at <file:line>",
      help: "put 'name = expression' there, or several statements",
      repeatable: true,
    },
    { flags: "--as <name>", help: "give the asked values this name, where the run uses theirs" },
    {
      flags: "--only-statement",
      help: "the log call alone, without what was added beside it; unchecked if that is left out",
    },
    {
      flags: "--bring <name>",
      help: "use your function or class of this name in what is asked, not the version's own",
      repeatable: true,
    },
    {
      flags: "-j, --jobs <n>",
      help: "processes at a time",
      value: "jobs",
      setting: "replay.workers",
    },
    {
      flags: "--gpus <list>",
      help: "GPUs that they see, one each in turn, e.g. 0,1",
      value: "gpus",
    },
    {
      flags: "--from-start",
      help: "execute runs from their start: restore nothing; what is unchecked is asked anew",
    },
    {
      flags: "--install",
      help: "give versions the packages that their own lockfiles name; their scripts are not run",
    },
    { flags: "--install-scripts", help: "--install, and run the scripts of these packages" },
  ],
} as const;
