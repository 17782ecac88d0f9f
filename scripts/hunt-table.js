/** @file What lines of the hunt come to: rows of a table, and the table in docs/results/hunt.md. */

const HEAD =
  "| language | seeds | commit | programs | values | promised | of quiet programs | other marks | edits | not answered | executed | findings |";

/** One row for each language and commit of these lines. */
export function huntRow(lines) {
  const groups = new Map();
  for (const line of lines) {
    const key = `${line.language} ${line.commit}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return [...groups.values()].map(row);
}

function row(lines) {
  const [{ language, commit }] = lines;
  const seeds = lines.map(({ seed }) => seed);
  const marks = sum(lines.map((line) => line.marks));
  const { verified = 0, restored = 0, ...others } = marks;
  const values = total(marks);
  const quiet = sum(lines.filter(({ noisy }) => !noisy).map((line) => line.marks));
  const edits = lines.reduce((count, line) => count + line.edits, 0);
  const refused = lines.reduce((count, line) => count + line.refusals.length, 0);
  const cells = [
    language,
    `${Math.min(...seeds)}–${Math.max(...seeds)}`,
    commit,
    lines.length,
    values,
    share(verified + restored, values),
    share((quiet.verified ?? 0) + (quiet.restored ?? 0), total(quiet)),
    Object.entries(others)
      .map(([mark, count]) => `${mark} ${count}`)
      .join(", "),
    edits,
    `${refused} (${share(refused, edits || 1)})`,
    executedOf(lines),
    lines.filter(({ findings }) => findings.length > 0).length,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Of the iterations of the runs that were asked, and by how many questions less than all. */
function executedOf(lines) {
  const shares = lines.flatMap((line) => line.executed ?? []);
  if (shares.length === 0) return "";
  const less = shares.filter((one) => one < 1).length;
  const sum = shares.reduce((all, one) => all + one, 0);
  return `${share(sum, shares.length)}, less than all by ${less} of ${shares.length}`;
}

const share = (part, whole) => `${(whole === 0 ? 100 : (100 * part) / whole).toFixed(1)} %`;
const total = (counts) => Object.values(counts).reduce((all, count) => all + count, 0);

function sum(all) {
  const sums = {};
  for (const [name, count] of all.flatMap((one) => Object.entries(one)))
    sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** The page with these rows in its table, in place of those of the same language, seeds and commit. */
export function withRows(page, rows) {
  const key = (text) =>
    text
      .split("|")
      .slice(1, 4)
      .map((cell) => cell.trim())
      .join();
  const replaced = new Set(rows.map(key));
  const lines = page.split("\n");
  const at = lines.findIndex((line) => line.startsWith("| language"));
  if (at === -1) throw new Error(`no table that begins with ${HEAD}`);
  const end = lines.findIndex((line, number) => number > at && !line.startsWith("|"));
  const kept = lines.slice(at, end).filter((line) => !replaced.has(key(line)));
  return [...lines.slice(0, at), ...kept, ...rows, ...lines.slice(end)].join("\n");
}
