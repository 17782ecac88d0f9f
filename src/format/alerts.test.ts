import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { foldAlerts } from "./alerts.ts";

interface Row {
  readonly lines: readonly string[];
  readonly armed: boolean;
}

const TABLE = JSON.parse(
  readFileSync(new URL("../../test/fixtures/alerts.json", import.meta.url), "utf8"),
) as readonly Row[];

// `python/tests/test_alerts.py` reads the same.
test.each(TABLE)("$lines: armed $armed", ({ lines, armed }) => {
  expect(foldAlerts(lines.join("\n")).some((one) => one.armed)).toBe(armed);
});

test("an alert is what was said of it last", () => {
  const said = (at: number, condition: string | null): string =>
    JSON.stringify({ v: 1, at, alert: "a", condition, armed: false });
  const now = { alert: "a", condition: "x < 2", armed: false };
  expect(foldAlerts([said(2, "x < 2"), said(1, "x < 1")].join("\n"))).toEqual([now]);
  expect(foldAlerts([said(2, "x < 2"), said(3, null)].join("\n"))).toEqual([]);
});
