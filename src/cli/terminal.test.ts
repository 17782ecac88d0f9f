import { describe, expect, test } from "vitest";
import {
  formatAge,
  formatBytes,
  formatDuration,
  formatMoney,
  formatNumber,
} from "./terminal/format-units.ts";
import { sparkline } from "./terminal/sparkline.ts";
import { renderTable, textWidth } from "./terminal/text-table.ts";

describe("units", () => {
  test.each([
    [0, "0"],
    [-0, "-0"],
    [1, "1"],
    [12345, "12,345"],
    [0.1 + 0.2, "0.3"],
    [0.123456, "0.1235"],
    [-12.3456, "-12.35"],
    [1234.56, "1235"],
    [0.00012345, "0.0001234"],
    [0.0000123456, "1.235e-5"],
    [1.5e20, "1.5e20"],
    [NaN, "NaN"],
    [-Infinity, "-Infinity"],
  ])("number %d", (value, text) => expect(formatNumber(value)).toBe(text));
  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1500, "1.5 kB"],
    [999_600, "1 MB"],
    [168_400_000, "168 MB"],
  ])("bytes %d", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
  test.each([
    [0.25, "0.3 ms"],
    [999.6, "1.0 s"],
    [41_000, "41 s"],
    [59_600, "1m 00s"],
    [821_000, "13m 41s"],
    [7_500_000, "2h 05m"],
    [273_600_000, "3d 04h"],
  ])("duration %d", (ms, text) => expect(formatDuration(ms)).toBe(text));
});

test.each([
  ["2026-11-15T12:00:00", "now"],
  ["2026-11-15T11:12:00", "48 min ago"],
  ["2026-11-14T01:00:00", "35 h ago"],
  ["2026-11-03T12:00:00", "12 d ago"],
  ["2026-11-01T12:00:00", "2026-11-01"],
  ["2026-11-15T13:00:00", "2026-11-15"],
])("age of %s", (time, text) => {
  expect(formatAge(new Date(time), new Date("2026-11-15T12:00:30"))).toBe(text);
});

test("money: two decimals, or two digits", () => {
  const amounts = [0, 0.0000342, 0.0342, 0.1, 12.345, 1234.5];
  expect(amounts.map(formatMoney)).toEqual([
    "0.00",
    "0.000034",
    "0.034",
    "0.10",
    "12.35",
    "1234.50",
  ]);
});

describe("sparkline", () => {
  test.each<[number[], string]>([
    [[], ""],
    [[1, 1, 1], "▁▁▁"],
    [[0, 1, 2, 3, 4, 5, 6, 7], "▁▂▃▄▅▆▇█"],
    [[1, NaN, 2], "▁×█"],
    [[-Number.MAX_VALUE, Number.MAX_VALUE], "▁█"],
  ])("%j", (values, line) => expect(sparkline(values)).toBe(line));
  test("a spike among many values is seen", () => {
    const values = Array.from({ length: 10_000 }, (_, at) => (at === 5432 ? 100 : 1));
    expect(sparkline(values)).toBe("▁▁▁▁▁█▁▁▁▁");
  });
});

describe("table", () => {
  const columns = [
    { title: "RUN", align: "left" },
    { title: "LOSS", align: "right" },
    { title: "NOTE", align: "left" },
  ] as const;
  const render = (rows: string[][], width = 80): string =>
    renderTable(columns, rows, { width, color: false });
  test("is aligned, also with wide characters and control characters", () => {
    expect(
      render([
        ["a", "0.5", "日本\n語"],
        ["bb", "12", "\u001b[31mred"],
      ]),
    ).toBe("RUN  LOSS  NOTE\na     0.5  日本 …\nbb     12  \\u001b[31mred\n");
  });
  test("too narrow for all columns: a block for each row, and nothing is left out", () => {
    const wide = ["a", "b", "c"].map(
      (title) => ({ title: title.repeat(12), align: "right" }) as const,
    );
    expect(
      renderTable(
        wide,
        [
          ["1", "2", "3"],
          ["4", "5", "x".repeat(40)],
        ],
        { width: 30, color: false },
      ),
    ).toBe(
      `1
  bbbbbbbbbbbb  2
  cccccccccccc  3

4
  bbbbbbbbbbbb  5
  cccccccccccc  xxxxxxxxxxxxx…
`,
    );
  });
  test.each([10, 12, 20, 40])("%d columns are never exceeded", (width) => {
    const text = render([["run-".repeat(10), "0.123456", "x".repeat(200)]], width);
    for (const line of text.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(width);
  });
});
