import { describe, expect, test } from "vitest";
import type { KeepPolicy } from "./keep.ts";
import { KEEP_FORMS, parseKeep } from "./keep.ts";

describe("parseKeep", () => {
  test.each<[string, KeepPolicy | undefined]>([
    ["all", { kind: "all" }],
    ["peak:accuracy", { kind: "peak", name: "accuracy", best: "max" }],
    ["peak:loss:min", { kind: "peak", name: "loss", best: "min" }],
    ["peak:val:loss:min", { kind: "peak", name: "val:loss", best: "min" }],
    ["peak:", undefined],
    ["every:5", { kind: "every", n: 5 }],
    ["every:0", undefined],
    ["20GB", { kind: "bytes", bytes: 20e9, of: "all" }],
    ["1.5 GiB", { kind: "bytes", bytes: 1.5 * 2 ** 30, of: "all" }],
    ["steps:500MB", { kind: "bytes", bytes: 5e8, of: "steps" }],
    ["Steps:2gib", { kind: "bytes", bytes: 2 ** 31, of: "steps" }],
    ["ALL", { kind: "all" }],
    ["Peak:Accuracy:MIN", { kind: "peak", name: "Accuracy", best: "min" }],
    ["Every:5", { kind: "every", n: 5 }],
    ["20", undefined],
    ["", undefined],
    ["best", undefined],
  ])("%s", (text, policy) => {
    expect(parseKeep(text)).toEqual(policy);
  });

  test("every form that help lines name is one", () => {
    for (const form of KEEP_FORMS.split(", ")) expect(parseKeep(form), form).toBeDefined();
  });
});
