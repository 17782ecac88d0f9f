import { SourceMap } from "node:module";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Edits } from "./text-edits.ts";
import { Lines } from "../../lines.ts";
import { sourceMapComment } from "./source-map.ts";

/** Where each word of the old text is found in the new one, as Node reads the map. */
function check(old: string, edit: (edits: Edits) => void): void {
  const edits = new Edits(old);
  edit(edits);
  const applied = edits.apply("__al");
  const comment = sourceMapComment("/p/t.ts", old, applied);
  const [, encoded = ""] = /base64,(.*)$/.exec(comment) ?? [];
  const payload = JSON.parse(Buffer.from(encoded, "base64").toString()) as SourceMap["payload"];
  expect(payload.sources).toEqual(["t.ts"]);
  const map = new SourceMap(payload);
  const [was, is] = [new Lines(old), new Lines(applied.text)];
  for (const { from, to, length } of applied.kept) {
    for (const { index } of old
      .slice(from, from + length)
      .matchAll(/[\w$\u0080-\u2027\u2030-\uffff]+|[^\s\w$]/g)) {
      const found = is.at(to + index);
      const entry = map.findEntry(found.line - 1, found.column - 1);
      const expected = was.at(from + index);
      const place = { originalLine: expected.line - 1, originalColumn: expected.column - 1 };
      expect(entry, `${JSON.stringify(applied.text)} at ${to + index}`).toMatchObject(place);
    }
  }
}

describe("source maps", () => {
  test.each<[string, string, (edits: Edits) => void]>([
    ["nothing was done", "a b\nc", () => undefined],
    ["insertions", "let a = 1;\nf(a, b);\n", (e) => e.before(13, "{x;") ?? e.after(18, "}")],
    ["a part taken out", "for (\n  // c\n  let i = 0;;)\n  i++", (e) => e.cut(0, 15)],
    ["other line ends", "a\r\nb\u2028c\rd\r\n\r\ne", (e) => e.before(3, "!")],
    ["wide columns", `${" ".repeat(5000)}a;\n${"x ".repeat(300)}`, (e) => e.before(5000, "y")],
    [
      "a copy",
      "f() {\n  a\n  b;\n}\nc",
      (e) => {
        e.isLasting = true;
        e.before(8, "!");
        e.isLasting = false;
        e.copyBehind({ start: 5, end: 15 }, "__al", [";if(p){", ";return}{"]);
      },
    ],
    ["letters of all kinds", "äöü = '€' + 漢字\nb", (e) => e.before(6, "zz")],
  ])("%s", (_, old, edit) => check(old, edit));

  test("any text, edited anywhere", () => {
    const pieces = fc.constantFrom("ab", " ", "\n", "(", ";", "x1", "$");
    const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));
    const spots = fc.array(fc.nat({ max: 60 }), { maxLength: 6 });
    fc.assert(
      fc.property(texts, spots, fc.nat({ max: 20 }), (old, places, cut) => {
        check(old, (edits) => {
          for (const at of places) edits.after(Math.min(at, old.length), "{i}");
          edits.cut(Math.min(cut, old.length), Math.min(cut + 4, old.length));
        });
      }),
      { numRuns: 200 },
    );
  });
});
