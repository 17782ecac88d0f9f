/**
 * @file Draws what a terminal shows as an SVG picture, for the README:
 *
 *   python3 test/run/on_terminal.py 80 40 node dist/cli/main.js demo |
 *     node scripts/picture.js 'FIRST LINE' 'LAST LINE' … > docs/images/demo.svg
 *
 * Reads the bytes that a program wrote to a terminal. The picture goes from the first line that
 * begins with the one text to the first after it that begins with the other; more parts may follow.
 */
import { readFileSync } from "node:fs";

const CHARACTER = 8.4;
const LINE = 18;
const MARGIN = 16;
const COLORS = {
  31: "#cf222e",
  32: "#1a7f37",
  33: "#9a6700",
  34: "#0969da",
  35: "#8250df",
  36: "#1b7c83",
};
const ESCAPE = String.fromCodePoint(27);
/** A control sequence, the end of a line, or one sign. */
const TOKEN = new RegExp(`${ESCAPE}\\[([\\d;]*)([A-Za-z])|\\r|\\n|[^${ESCAPE}]`, "gu");
const DIM = "#6a737d";

/** Lines of cells, as they stand in the end: a line that is drawn again is overwritten. */
function screenOf(bytes) {
  const lines = [[]];
  let row = 0;
  let column = 0;
  let style = {};
  for (const [token, code, command] of bytes.matchAll(TOKEN)) {
    if (command === "m") style = styled(style, code);
    else if (command === "K") lines[row] = code === "2" ? [] : lines[row].slice(0, column);
    else if (command === "A") row = Math.max(0, row - Number(code || 1));
    else if (token === "\r") column = 0;
    else if (token === "\n") lines[(row += 1)] ??= [];
    else if (command === undefined) lines[row][column++] = { text: token, ...style };
  }
  return lines.map((line) => Array.from(line, (cell) => cell ?? { text: " " }));
}

function styled(style, codes) {
  return (codes || "0").split(";").reduce((now, code) => {
    if (code === "0") return {};
    if (code === "1") return { ...now, bold: true };
    if (code === "2") return { ...now, fill: DIM };
    if (code === "22")
      return { ...now, bold: false, fill: now.fill === DIM ? undefined : now.fill };
    return { ...now, fill: COLORS[code] };
  }, style);
}

/** Neighbours of one style. A sign that fonts may make wider or narrower stands by itself. */
function spansOf(cells) {
  const spans = [];
  for (const [column, { text, bold, fill }] of cells.entries()) {
    const last = spans.at(-1);
    const plain = /^[\u0020-\u007e]$/.test(text);
    const goesOn = plain && last?.plain && last.bold === bold && last.fill === fill;
    if (goesOn) last.text += text;
    else spans.push({ column, text, bold, fill, plain });
  }
  return spans
    .map((span) => ({ ...span, text: span.text.trimEnd(), lead: /^ */.exec(span.text)[0].length }))
    .filter(({ text }) => text !== "");
}

function textElement({ column, text, bold, fill, lead }, row) {
  const shown = text.slice(lead);
  const x = (MARGIN + (column + lead) * CHARACTER).toFixed(1);
  const width =
    [...shown].length > 1 ? ` textLength="${([...shown].length * CHARACTER).toFixed(1)}"` : "";
  const look = `${bold ? ' font-weight="bold"' : ""}${fill ? ` fill="${fill}"` : ""}`;
  const y = 28 + row * LINE;
  return `<text x="${x}" y="${y}"${width}${look}>${escaped(shown)}</text>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** From one line to another, again and again; the parts are a line apart. */
function partsOf(lines, [from, to, ...more]) {
  if (from === undefined || to === undefined) return [];
  const begins = (text) => (line) => {
    const shown = line.map((cell) => cell.text);
    return shown.join("").startsWith(text);
  };
  const first = lines.findIndex(begins(from));
  const length = lines.slice(first).findIndex(begins(to));
  if (first < 0 || length < 0) throw new Error(`no lines from '${from}' to '${to}'`);
  const end = first + length + 1;
  return [...lines.slice(first, end), [], ...partsOf(lines.slice(end), more)];
}

const lines = partsOf(screenOf(readFileSync(0, "utf8")), process.argv.slice(2)).slice(0, -1);
const columns = lines.reduce((most, line) => Math.max(most, line.length), 80);
const width = Math.ceil(2 * MARGIN + columns * CHARACTER);
const height = 2 * MARGIN + lines.length * LINE;
const fonts = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace";
process.stdout
  .write(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="afterlog demo in a terminal">
<rect width="100%" height="100%" rx="8" fill="#fdfdfc" stroke="#d0d7de"/>
<g font-family="${fonts}" font-size="14" fill="#24292f" xml:space="preserve">
${lines.flatMap((line, row) => spansOf(line).map((span) => textElement(span, row))).join("\n")}
</g>
</svg>
`);
