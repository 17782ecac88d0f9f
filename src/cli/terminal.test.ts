import { describe, expect, test } from "vitest";
import { formatBytes, formatDuration, formatMoney, formatNumber } from "./terminal/format-units.ts";
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
    renderTable(columns, rows, { width, color: false }).text;
  test("is aligned, also with wide characters and control characters", () => {
    expect(
      render([
        ["a", "0.5", "日本\n語"],
        ["bb", "12", "\u001b[31mred"],
      ]),
    ).toBe("RUN  LOSS  NOTE\na     0.5  日本 …\nbb     12  \\u001b[31mred\n");
  });
  test.each([10, 12, 20, 40])("%d columns are never exceeded", (width) => {
    const text = render([["run-".repeat(10), "0.123456", "x".repeat(200)]], width);
    for (const line of text.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(width);
  });
});
