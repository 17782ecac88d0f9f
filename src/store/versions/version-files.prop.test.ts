import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseFiles, formatBytes, isSourceLike } from "./version-files.ts";
import { filePath, rawPath, rawToText } from "./version-git.ts";

test("every file is kept, known by hash or left out, and what is kept is within the limits", () => {
  const limits = { fileBytes: 50, files: 5, totalBytes: 120 };
  const file = fc.record({
    name: fc.constantFrom("a.py", "b.py", "c.bin", "d.png", "e.ts", "f.md", "g.dat", "h.cu"),
    bytes: fc.integer({ min: 0, max: 70 }),
  });
  const files = fc.uniqueArray(file, { selector: ({ name }) => name });
  fc.assert(
    fc.property(files, (entries) => {
      const folder = mkdtempSync(join(tmpdir(), "afterlog-files-"));
      try {
        for (const { name, bytes } of entries) {
          writeFileSync(join(folder, name), "");
          truncateSync(join(folder, name), bytes);
        }
        const names = entries.map(({ name }) => name);
        const { kept, large, left } = chooseFiles(folder, [...names, "absent.py"], limits);
        const sizes = new Map<string, number>(entries.map(({ name, bytes }) => [name, bytes]));
        const total = kept.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
        expect(total).toBeLessThanOrEqual(limits.totalBytes);
        expect(kept.length).toBeLessThanOrEqual(limits.files);
        expect(large.every(({ bytes }) => bytes > limits.fileBytes)).toBe(true);
        expect(left.length === 0 || kept.every(isSourceLike)).toBe(true);
        const all = [...kept, ...large.map(({ path }) => path), ...left.map(({ path }) => path)];
        expect(all.toSorted()).toEqual(names.toSorted());
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: 50 },
  );
});

test("a raw path has one character per byte and reads as the text it came from", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(rawToText(rawPath(text))).toBe(text);
      expect(rawPath(text).length).toBe(Buffer.byteLength(text));
      expect(filePath("/top", rawPath(text))).toEqual(Buffer.from(`/top/${text}`));
    }),
  );
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [10_000_001, "10 MB"],
  [2.5e9, "2.5 GB"],
  [3e15, "3000 TB"],
])("%d bytes read %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
