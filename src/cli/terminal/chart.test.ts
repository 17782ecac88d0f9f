import fc from "fast-check";
import { expect, test } from "vitest";
import { lineChart } from "./chart.ts";

const OPTIONS = { width: 40, height: 6, color: false, title: "loss", xLabel: "epoch" };

test("a chart has axes, a line for each series, and a legend", () => {
  const falling = [3, 2, 1, 0.5].map((y, x) => ({ x, y }));
  const flat = [0, 3].map((x) => ({ x, y: 2 }));
  expect(
    `\n${lineChart(
      [
        { label: "lr=0.1", points: falling },
        { label: "lr=1", points: flat },
      ],
      OPTIONS,
    )}\n`,
  ).toMatchInlineSnapshot(`
    "
    loss
        3 │●⠒⠤⢄⡀
          │    ⠈⠑⠒⠤⣀⡀
     1.75 │▲⠒⠒⠒⠒⠒⠒⠒⠒⠚⠓⠒⠶⣒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒▲
          │              ⠉⠑⠢⢄⣀
          │                   ⠉⠒⠤⠤⣀⣀
      0.5 │                         ⠉⠉⠒⠒⠢⠤⢄●
          └─────────────────────────────────
           0                        3  epoch
           ● lr=0.1
           ▲ lr=1
    "
  `);
});

test("the highest and the lowest value are always on the chart", () => {
  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(value, { minLength: 2, maxLength: 300 }), (values) => {
      const points = values.map((y, x) => ({ x, y }));
      const rows = lineChart([{ label: "s", points }], OPTIONS)
        .split("\n")
        .slice(1, 7);
      const body = rows.map((row) => row.slice(row.indexOf("│") + 1).trim());
      const spread = Math.max(...values) > Math.min(...values);
      expect(body[5]).not.toBe("");
      if (spread) expect(body[0]).not.toBe("");
    }),
  );
});

test.each([
  ["no points", []],
  ["only NaN", [{ label: "s", points: [{ x: 0, y: Number.NaN }] }]],
])("%s gives a sentence", (_, series) => {
  expect(lineChart(series, OPTIONS)).toBe("loss: nothing to draw");
});
