import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LoopPath } from "./path.ts";
import { checkpointFileName, formatPath, parsePath, pathElement } from "./path.ts";

describe("loop paths as text", () => {
  test.each<[LoopPath, string]>([
    [[], ""],
    [[["epoch", 3]], "epoch=3"],
    [
      [
        ["epoch", 3],
        ["step", 17],
      ],
      "epoch=3,step=17",
    ],
    [
      [
        ["epoch", 6],
        ["step", "end"],
      ],
      "epoch=6,step=end",
    ],
    [[["step", 4, 2]], "step#2=4"],
    [[["a/b=c,d#e%", 0]], "a%2Fb%3Dc%2Cd%23e%25=0"],
    [[["época", 1]], "%C3%A9poca=1"],
  ])("%j is %s", (path, text) => {
    expect(formatPath(path)).toBe(text);
    expect(parsePath(text)).toEqual(path);
  });

  test.each(["epoch", "epoch=", "=3", "epoch=x", "epoch=-1", "epoch=1,", "e%ZZ=1", "epoch=1 "])(
    "%s is no path",
    (text) => expect(parsePath(text)).toBeUndefined(),
  );

  test("every path comes back from its text", () => {
    const element = fc
      .tuple(
        fc.string({ minLength: 1, unit: "grapheme" }),
        fc.oneof(fc.nat(), fc.constant("end" as const)),
        fc.nat(5),
      )
      .map(([name, index, entry]) => pathElement(name, index, entry));
    fc.assert(
      fc.property(fc.array(element, { maxLength: 5 }), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
    );
  });
});

describe("checkpoint file names", () => {
  const digest = (): string => "d".repeat(64);

  test.each<[LoopPath, number, string]>([
    [[["epoch", 6]], 0, "epoch=6.safetensors"],
    [[["epoch", 6]], 2, "epoch=6~2.safetensors"],
    [[["../../etc/passwd", 0]], 0, "..%2F..%2Fetc%2Fpasswd=0.safetensors"],
    [[["n".repeat(300), 0]], 0, `${"d".repeat(32)}.safetensors`],
  ])("%j, attempt %i", (path, attempt, name) => {
    expect(checkpointFileName(path, attempt, digest)).toBe(name);
  });
});
