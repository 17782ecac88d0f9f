/** @file `docs/configuration.md`: every setting, from the table. */
import type { Setting } from "../../format/index.ts";
import { SETTINGS } from "../../format/index.ts";
import { markdownTable } from "./markdown-table.ts";

/** The Markdown, as the formatter leaves it. */
export function configurationPage(): string {
  const rows: readonly Setting[] = SETTINGS;
  const blocks = [
    "<!-- Written by `npm run docs` from src/format/settings-table.ts: edit there. -->",
    "# Configuration",
    ORDER,
    "## afterlog.toml",
    FILE,
    EXAMPLE,
    settingTable(rows.filter(({ inFile }) => inFile)),
    FILE_RULES,
    "## Only in the environment, or for one run",
    ENVIRONMENT,
    settingTable(rows.filter(({ inFile }) => !inFile)),
    "## What is wrong",
    WRONG,
  ];
  return `${blocks.join("\n\n")}\n`;
}

const ORDER = `A flag comes before the environment, that before \`afterlog.toml\`, that before the default. \`afterlog config\`
shows every setting with its value and where it comes from (\`--json\` for scripts). Programs that record
themselves, with plain \`node train.js\` or \`python3 train.py\`, read the environment and the file too. A run that
goes on (\`afterlog run --resume\`) keeps what it began with, unless a flag says otherwise.`;

const FILE = `The file lies in the project's folder: the nearest one upwards that has \`.afterlog\`, else \`afterlog.toml\`, else
\`.git\`, else \`package.json\` or \`pyproject.toml\`. One that lies elsewhere does not count, and \`afterlog config\`
says so.`;

const EXAMPLE = `\`\`\`toml
[record]
overhead = "2%" # most that recording may cost
keep = "peak:accuracy" # which checkpoints stay

[replay]
workers = 4
max_time = "1h30m"
\`\`\``;

const FILE_RULES = `It is TOML with one key a line: \`[section]\`, \`key = value\`, and comments with \`#\`. A value is a text in quotes, a
number, \`true\` or \`false\`; a text with backslashes, such as a regular expression, stands in single quotes. Words
ignore case; the name of a logged value (\`peak:Accuracy\`) does not. In the environment a switch is \`true\`, \`on\`,
\`yes\` or \`1\`, or \`false\`, \`off\`, \`no\` or \`0\`; a variable that is empty says nothing.`;

const ENVIRONMENT = `What is of one run or of one machine cannot stand in a file that a project shares.`;

const WRONG = `\`afterlog\` refuses a setting that it does not know or cannot read, with file and line, the nearest right one, code
AL008 and exit code 2; nothing is started. A program that records itself says it once on standard error and goes on
with the default; if \`AFTERLOG_MODE\` is neither \`record\` nor \`off\`, it records nothing.`;

function settingTable(rows: readonly Setting[]): string {
  return markdownTable(
    ["setting", "default", "variable", "flag", "what it means"],
    rows.map(({ key, default: value, otherwise = "", variable, flag, meaning }) => [
      `\`${key}\``,
      value === null ? otherwise : `\`${value}\``,
      `\`${variable}\``,
      (flag ?? "").replaceAll(/--[\w-]+/g, "`$&`"),
      meaning,
    ]),
  );
}
