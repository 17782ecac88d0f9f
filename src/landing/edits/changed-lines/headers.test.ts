/** Definitions of which only types differ, or whether others may import them, with a question in them. */
import { beforeAll, expect, test } from "vitest";
import { between } from "../../../../test/support/changed-lines.ts";
import { prepareLanguages } from "../../../languages/index.ts";
import { pieceFor } from "../piece.ts";
import { keepPiece } from "../undo.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const PLAIN = "function f(x, y = 1) {";
const TYPED = "function f(x: number, y = 1) {";
const CLASS = "class A { n = 0; f(x) {";

type Row = readonly [about: string, then: string, now: string];

const SAME: readonly Row[] = [
  ["a type of a parameter", PLAIN, TYPED],
  ["another type", TYPED, "function f(x: readonly number[], y: number = 1) {"],
  ["a type less", TYPED, PLAIN],
  ["what it gives", PLAIN, "function f(x, y = 1): number | undefined {"],
  ["a generic parameter", PLAIN, "function f<T extends object>(x: T, y = 1) {"],
  ["an option", TYPED, "function f(x?: number, y = 1) {"],
  ["export", PLAIN, `export ${PLAIN}`],
  ["no export", `export ${PLAIN}`, PLAIN],
  ["export, and types", PLAIN, "export function f(x: number, y: number = 1): number {"],
  ["a constant", "const f = (x) => {", "export const f: Look = (x: number): number => {"],
  [
    "a class",
    CLASS,
    "export class A<T> implements B { private readonly n: number = 0; public f(x: T): T {",
  ],
  ["an override", CLASS, "class A { n = 0; override f(x) {"],
  ["a base class", "class A extends B { f(x) {", "class A extends B<number> { f(x) {"],
  ["a loop over something known", "for (const x of xs) {", "for (const x of xs as number[]) {"],
  ["something that is there", "if (g(x.y)) {", "if (g(x!.y!)) {"],
  ["a shape", "while (g({ x })) {", "while (g({ x } satisfies Shape)) {"],
  ["a call of a generic one", "while (g(x)) {", "while (g<number>(x)) {"],
  ["a hint", "def f(x, y=1):", "def f(x: list[int], y: int = 1) -> int:"],
];

const OTHER: readonly Row[] = [
  ["what may be missing", "while (g(x.y)) {", "while (g(x?.y)) {"],
  [
    "a field of the object",
    "class A { constructor(n) {",
    "class A { constructor(private n: number) {",
  ],
  ["another default", "export function f(x = 1) {", "function f(x = 2) {"],
  ["a class of a class", "class A { f(x) {", "class A { static f(x) {"],
];

function check(
  then: string,
  now: string,
): { readonly lost: number; readonly kept: string | undefined } {
  const isPython = then.startsWith("def");
  const [file, asked] = isPython
    ? ["a.py", "    ev = x + 1\n    print('q', ev)\n"]
    : ["a.ts", "  const ev = x + 1;\n  console.log('q', ev);\n"];
  const braces = (head: string): string =>
    "}".repeat(head.split("{").length - head.split("}").length);
  const text = (head: string, question = ""): string =>
    isPython
      ? `x = 1\n${head}\n${question}    return x\n`
      : `let x = 1;\n${head}\n${question}  x;\n${braces(head)}\n`;
  const edit = between(file, text(then), text(now, asked));
  const lost = edit.gaps.flatMap((gap) => gap.lost).length + edit.changed.length;
  const { statements } = pieceFor(edit, [edit.now.text.indexOf("'q'")]);
  const kept = keepPiece(edit, statements)?.text;
  return { lost, kept: kept?.includes("ev") ? kept : undefined };
}

test.each(SAME)("the same: %s", (_, then, now) => {
  const { lost, kept } = check(then, now);
  expect(lost).toBe(0);
  expect(kept?.includes("export")).toBe(then.includes("export"));
});

test.each(OTHER)("another program: %s", (_, then, now) => {
  expect(check(then, now).lost).toBeGreaterThan(0);
});
