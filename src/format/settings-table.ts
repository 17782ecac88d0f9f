/**
 * @file All settings, as data: what a user can set once for a project or a shell instead of saying
 * it on every command. `docs/configuration.md` is made from this table, and
 * `python/afterlog/format/settings_table.py` is its twin; tests hold both to it.
 */

/** How a text is read; `resolve-settings.ts` has a reader for each. */
export type SettingType =
  | "choice"
  | "console"
  | "count"
  | "keep"
  | "number"
  | "price"
  | "seconds"
  | "seed"
  | "share"
  | "switch"
  | "text"
  | "time";

export interface Setting {
  /** In `afterlog.toml`: the part before the dot is the section. */
  readonly key: string;
  readonly type: SettingType;
  /** Of a choice. */
  readonly choices?: readonly string[];
  /** Text of the value while nobody sets it; null: `otherwise` says what happens then. */
  readonly default: string | null;
  readonly otherwise?: string;
  /** What one might set it to, where there is no default to show. */
  readonly example?: string;
  readonly variable: string;
  /** As the help of the command line writes it; null: no command has one. */
  readonly flag: string | null;
  /** Whether it may stand in `afterlog.toml`: not what is of one run or of one machine. */
  readonly inFile: boolean;
  /** Who looks at it: a program that records itself, the command `afterlog`, or both. */
  readonly readBy: "both" | "command" | "program";
  readonly meaning: string;
}

export const SETTINGS = [
  {
    key: "record.mode",
    type: "choice",
    choices: ["record", "off"],
    default: "record",
    variable: "AFTERLOG_MODE",
    flag: null,
    inFile: false,
    readBy: "both",
    meaning: "`off`: the program runs as if Afterlog were not there",
  },
  {
    key: "record.seed",
    type: "seed",
    default: null,
    otherwise: "drawn for each run",
    variable: "AFTERLOG_SEED",
    flag: "--seed",
    inFile: false,
    readBy: "both",
    meaning: "seed of the random generators, 0 to 18446744073709551615",
  },
  {
    key: "record.overhead",
    type: "share",
    default: "0.0667",
    variable: "AFTERLOG_OVERHEAD",
    flag: "--overhead",
    inFile: true,
    readBy: "both",
    meaning: "most that recording may cost: `0.02` or `2%`; `inf` for every checkpoint",
  },
  {
    key: "record.keep",
    type: "keep",
    // Only steps can become many without end.
    default: "steps:2GiB",
    variable: "AFTERLOG_KEEP",
    flag: "--keep",
    inFile: true,
    readBy: "both",
    meaning: "which checkpoints stay: `all`, `peak:accuracy`, `every:5`, `20GB`, `steps:2GB`",
  },
  {
    key: "record.console",
    type: "console",
    default: "true",
    variable: "AFTERLOG_CONSOLE",
    flag: "--console, --no-console",
    inFile: true,
    readBy: "command",
    meaning:
      "whether values are taken from what a hands-free program prints, or a regular expression whose named groups are logged",
  },
  {
    key: "record.grace",
    type: "seconds",
    // Less than schedulers wait before they kill.
    default: "10",
    variable: "AFTERLOG_GRACE",
    flag: "--grace",
    inFile: true,
    readBy: "command",
    meaning: "seconds for a last checkpoint after SIGTERM",
  },
  {
    key: "record.not_secret",
    type: "text",
    default: null,
    otherwise: "files that look like secrets are neither kept nor sent",
    example: "conf/.env.test, tests/*.pem",
    variable: "AFTERLOG_NOT_SECRET",
    flag: null,
    inFile: true,
    readBy: "both",
    meaning:
      "untracked files that look like secrets and are none, from the project's folder, with commas between; `*` is anything",
  },
  {
    key: "record.persist",
    type: "choice",
    choices: ["worker", "inline"],
    default: "worker",
    variable: "AFTERLOG_PERSIST",
    flag: null,
    inFile: false,
    readBy: "both",
    meaning: "`inline`: checkpoints are written by the program's own thread, for measurements",
  },
  {
    key: "replay.workers",
    type: "count",
    default: null,
    otherwise: "one for each processor, at most 8",
    example: "4",
    variable: "AFTERLOG_WORKERS",
    flag: "--jobs",
    inFile: true,
    readBy: "command",
    meaning: "processes at a time",
  },
  {
    key: "replay.max_time",
    type: "time",
    default: null,
    otherwise: "no limit",
    example: "1h30m",
    variable: "AFTERLOG_MAX_TIME",
    flag: "--max-time",
    inFile: true,
    readBy: "command",
    meaning: "a replay stops after this long: `90s`, `10m`, `1h30m`",
  },
  {
    key: "replay.tolerance",
    type: "number",
    default: "1e-6",
    variable: "AFTERLOG_TOLERANCE",
    flag: null,
    inFile: true,
    readBy: "command",
    meaning: "largest relative difference of two floats that are marked `close`",
  },
  {
    key: "replay.canary",
    type: "switch",
    default: "true",
    variable: "AFTERLOG_CANARY",
    flag: "--no-canary",
    inFile: true,
    readBy: "command",
    meaning: "whether one part is replayed first, and the rest only then",
  },
  {
    key: "replay.control",
    type: "switch",
    default: "true",
    variable: "AFTERLOG_CONTROL",
    flag: "--no-control",
    inFile: true,
    readBy: "command",
    meaning: "whether one asked place is reached in two ways, if that is cheap",
  },
  {
    key: "replay.price_per_hour",
    type: "price",
    default: null,
    otherwise: "plans say seconds alone",
    example: "2.5",
    variable: "AFTERLOG_PRICE_PER_HOUR",
    flag: null,
    inFile: true,
    readBy: "command",
    meaning: "what an hour of this machine costs, in your currency: plans say what a replay costs",
  },
  {
    key: "dir",
    type: "text",
    default: null,
    otherwise: "`.afterlog` in the project's folder",
    variable: "AFTERLOG_DIR",
    flag: null,
    inFile: false,
    readBy: "both",
    meaning: "the folder that holds the runs",
  },
  {
    key: "cli",
    type: "text",
    default: null,
    otherwise: "`afterlog` on the PATH",
    variable: "AFTERLOG_CLI",
    flag: null,
    inFile: false,
    readBy: "program",
    meaning: "the command that Python's `afterlog.frame` calls",
  },
] as const;

export type SettingKey = (typeof SETTINGS)[number]["key"];
