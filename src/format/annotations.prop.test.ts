/** Annotations: what counts does not depend on who wrote first, nor on who merged with whom. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Annotation } from "./annotations.ts";
import { annotationFromJson, annotationToJson, foldAnnotations } from "./annotations.ts";

const text = fc.option(fc.constantFrom("a", "b", "c d"));
const annotation: fc.Arbitrary<Annotation> = fc
  .tuple(
    fc.constantFrom("train-20261119-100000-aaaa", "train-20261119-100001-bbbb"),
    // Few moments, so that many are said at one.
    fc.integer({ min: 0, max: 4 }),
    fc.oneof(
      fc.record({ k: fc.constant("tag"), tag: fc.constantFrom("x", "y"), on: fc.boolean() }),
      fc.record({ k: fc.constantFrom("note", "name"), text }),
      fc.record({ k: fc.constant("hidden"), on: fc.boolean() }),
      fc.record({
        k: fc.constant("alert"),
        alert: fc.constantFrom("low", "high"),
        condition: fc.constantFrom("f1 < 0.4", "loss > 3"),
        path: fc.constantFrom("", "epoch=3"),
        values: fc.dictionary(fc.constantFrom("f1", "loss"), fc.constantFrom(0.5, "x", null, true)),
      }),
    ),
  )
  .map(([run, at, change]) => ({ v: 1, run, at, ...change }));
const annotations = fc.array(annotation, { maxLength: 12 });

const sorted = (list: readonly Annotation[]): unknown =>
  [...foldAnnotations(list)].toSorted(([a], [b]) => (a < b ? -1 : 1));

test("a merge is a union: neither order nor repetition matters", () => {
  fc.assert(
    fc.property(annotations, annotations, fc.infiniteStream(fc.nat()), (ours, theirs, draws) => {
      const shuffled = [...ours, ...theirs, ...ours]
        .map((one) => [draws.next().value as number, one] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, one]) => one);
      expect(sorted(shuffled)).toEqual(sorted([...ours, ...theirs]));
      expect(sorted([...theirs, ...ours])).toEqual(sorted([...ours, ...theirs]));
    }),
  );
});

test("the last word by time counts", () => {
  fc.assert(
    fc.property(annotations, annotation, (before, last) => {
      const said = { ...last, at: 5 };
      const found = foldAnnotations([...before, said]).get(said.run);
      if (said.k === "tag") expect(found?.tags.includes(said.tag)).toBe(said.on);
      else if (said.k === "hidden") expect(found?.hidden).toBe(said.on);
      else if (said.k === "alert") {
        const { alert, condition, path, values } = said;
        expect(found?.alerts).toContainEqual({ alert, condition, path, values, at: 5 });
        expect(found?.alerts.filter((one) => one.alert === alert)).toHaveLength(1);
      } else expect(found?.[said.k]).toBe(said.text);
    }),
  );
});

test("a line is read as it was written", () => {
  fc.assert(
    fc.property(annotation, (one) => {
      expect(annotationFromJson(annotationToJson(one))).toEqual(one);
    }),
  );
});

test.each([
  "",
  "{",
  "null",
  "[]",
  '{"v":2,"run":"r","at":1,"k":"hidden","on":true}',
  '{"v":1,"run":"","at":1,"k":"hidden","on":true}',
  '{"v":1,"run":"r","at":1e400,"k":"hidden","on":true}',
  '{"v":1,"run":"r","at":-1,"k":"hidden","on":true}',
  '{"v":1,"run":"r","at":1,"k":"hidden","on":"yes"}',
  '{"v":1,"run":"r","at":1,"k":"tag","tag":"two words","on":true}',
  '{"v":1,"run":"r","at":1,"k":"tag","tag":"\\u001b[2J","on":true}',
  '{"v":1,"run":"r","at":1,"k":"note","text":7}',
  `{"v":1,"run":"r","at":1,"k":"note","text":"${"x".repeat(20_000)}"}`,
  '{"v":1,"run":"r","at":1,"k":"colour","text":"red"}',
  '{"v":1,"run":"r","at":1,"k":"alert","alert":"a b","condition":"x","path":"","values":{}}',
  '{"v":1,"run":"r","at":1,"k":"alert","alert":"a","condition":"x","path":"","values":{"x":[1]}}',
  '{"v":1,"run":"r","at":1,"k":"alert","alert":"a","condition":"x","path":"","values":[]}',
  `{"v":1,"run":"r","at":1,"k":"alert","alert":"a","condition":"${"x".repeat(2001)}","path":"","values":{}}`,
])("%s is no annotation", (line) => {
  expect(annotationFromJson(line)).toBeUndefined();
});
