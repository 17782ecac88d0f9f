/**
 * @file The words that only we know, once: `afterlog help marks` explains them, and a screen on which one
 * appears says in a line what it means.
 */
import { SIGNS } from "../terminal/origin-signs.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import type { CheckMark, Scan, Verdict } from "../../format/index.ts";

type Meanings<Word extends string> = { readonly [One in Word]: string };

const MARKS: Meanings<CheckMark> = {
  verified: "what the replay did again beside it equals the record bit for bit",
  restored: "it comes from a checkpoint, and from code that can only compute",
  close: "numbers beside it differ by a millionth of their size at most",
  unchecked:
    "nothing could be compared, or it hangs on what no replay brings back (a clock, the network)",
  diverged: "something beside it is not what was recorded: do not rely on it",
};

const SCANS: Meanings<Scan> = {
  prefix: "up to the log line, which stands before the loops",
  outer: "the asked iterations of a loop, with the loops in them skipped",
  inner: "the asked iterations or steps whole, from the nearest checkpoint",
  suffix: "what comes after the loops, which are skipped",
};

const VERDICTS: Meanings<Verdict> = {
  exact: "between the same lines, as you wrote it",
  moved: "as certain, though lines or names around it are others",
  review: "not certain: it waits until you have looked at it",
  present: "that version logs it already",
  cannot: "something that it needs does not exist there",
};

/** Lines to read are no longer than this; so many fit a terminal beside the prompt. */
const COLUMNS = 80;

function rows(
  meanings: { readonly [word: string]: string },
  signs: { readonly [word: string]: string } = {},
): string[] {
  return Object.entries(meanings).flatMap(([word, meaning]) => {
    const [first = "", ...more] = wrapText(meaning, { columns: COLUMNS, indent: " ".repeat(15) });
    return [`  ${word.padEnd(11)}${(signs[word] ?? "").padEnd(2)}${first.slice(15)}`, ...more];
  });
}

/** Each by its lines. */
export const TOPICS: { readonly [topic: string]: readonly string[] } = {
  marks: [
    "A value that a replay filled in has a mark: how far it can be relied on. What",
    "the run logged itself has none, as it is the record that replays are held to.",
    "",
    ...rows(MARKS, SIGNS),
    "",
    "A mark is kept with its value. To see why a value has it, and what differed:",
    "",
    "  afterlog why RUN NAME epoch=3",
    "  afterlog check RUN --explain",
  ],
  scans: [
    "A replay executes as little of a run as it can. A loop is skipped by putting",
    "back the state that a checkpoint kept of its end. What is executed follows from",
    "the place of the log line that asks, and is called the scan:",
    "",
    ...rows(SCANS),
    "",
    "EXECUTED is the share of the recorded iterations that is executed again, by",
    "their time; FROM is the checkpoint where it begins, or the start of the run.",
    "Where a checkpoint lacks something, more is executed, and the plan says why.",
    "",
    "  afterlog plan NAME        what a replay would do, and for how long",
  ],
  landings: [
    "You ask with a log line in the source as it is today. It is put into the source",
    "of each past run, too; the place that it gets there is its landing:",
    "",
    ...rows(VERDICTS),
    "",
    "Nothing is replayed where a landing waits for a look. See it as a diff:",
    "",
    "  afterlog where NAME                     the places in all versions",
    "  afterlog where NAME VERSION --accept    it is right",
    "  afterlog where NAME VERSION --at 41     before another line",
    "  afterlog where NAME VERSION --edit      written otherwise there",
    "  afterlog where NAME VERSION --exclude   leave that version out",
    "",
    "What you decide is kept, and holds for every later plan.",
  ],
  where: [
    "-w, --where takes a condition in SQL: on what was logged, on arguments, on what",
    "is known of runs (started, status, host, …), and on loops. (The command",
    "`afterlog where` shows landings: afterlog help landings.)",
    "",
    "  lr < 0.01 and started >= '2026-06-01'   an argument; when the run began",
    "  epoch = 7 and step between 30 and 32    loops, as the program counts them",
    "  epoch# = 0                              the first iteration, however counted",
    "  test.i = 3                              of loops called i the one in test()",
    '  "val loss" < 0.3 or "when" is null      names with blanks, or words of SQL',
    "  log.status = 'ok' and arg.seed = 3      yours, where runs have that name too",
    "",
    "ls shows the runs for which it holds, by their last values, and frame the rows.",
    "plan and replay ask no other runs and iterations; a part on values that are",
    "still to be filled is looked at when they are there.",
    "",
    "Texts stand in 'single' quotes, names in \"double\" ones, so in a shell:",
    "",
    "  afterlog ls -w \"lr < 0.01 and optimizer = 'adam'\" --sort-by accuracy:desc",
    "",
    'All columns: docs/sql.md, and  afterlog query "describe runs"',
  ],
};

type Explained = "landings" | "marks" | "scans";

const EXPLAINED: { readonly [Topic in Explained]: { readonly [word: string]: string } } = {
  landings: VERDICTS,
  marks: MARKS,
  scans: SCANS,
};

/** What those of the words mean that stand on a screen, and where to read on. Only a person is told. */
export function explainedLines(
  topic: Explained,
  words: Iterable<string>,
  columns: number,
): string[] {
  const shown = new Set(words);
  const known = Object.entries(EXPLAINED[topic]).filter(([word]) => shown.has(word));
  if (known.length === 0) return [];
  const lines = known.map(([word, meaning]) => `${word}: ${meaning}`);
  const indent = "  ";
  return [...lines, `afterlog help ${topic}`].flatMap((line) =>
    wrapText(line, { columns, indent }),
  );
}
