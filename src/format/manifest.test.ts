import { describe, expect, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import { manifestFromJson, manifestToJson } from "./manifest.ts";

const MANIFEST = { format: 1, run: "train-1", argv: ["a", '"sha256": "'] } as unknown as Manifest;

describe("run.json", () => {
  test("comes back the same", () => {
    expect(manifestFromJson(manifestToJson(MANIFEST), "run.json")).toMatchObject(MANIFEST);
  });

  test("every changed byte is noticed", () => {
    const text = manifestToJson(MANIFEST);
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === "x" ? "y" : "x";
      const spoiled = text.slice(0, at) + other + text.slice(at + 1);
      expect(() => manifestFromJson(spoiled, "run.json"), `byte ${at}`).toThrow(
        expect.objectContaining({ code: "AL040" }),
      );
    }
  });

  test("a later format is refused with what to do", () => {
    const text = manifestToJson({ ...MANIFEST, format: 2 } as unknown as Manifest);
    expect(() => manifestFromJson(text, "run.json")).toThrow(
      expect.objectContaining({ code: "AL041" }),
    );
  });
});
