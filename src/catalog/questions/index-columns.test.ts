import { expect, test } from "vitest";
import { shownPath } from "../../format/index.ts";
import { quoteLoops } from "./index-columns.ts";

test.each([
  ["epoch# = 3", '"epoch#" = 3'],
  ["epoch#=3 and step# between 1 and 2", '"epoch#"=3 and "step#" between 1 and 2'],
  ['"epoch#" = 3', '"epoch#" = 3'],
  ["name = 'epoch# = 3'", "name = 'epoch# = 3'"],
  ["lr > 0 -- epoch# = 3", "lr > 0 -- epoch# = 3"],
  ["select #1, epoch#", 'select #1, "epoch#"'],
  ["'it''s' = epoch#", "'it''s' = \"epoch#\""],
  ["train.i = 3 and Train.i# < 4", '"train.i" = 3 and "Train.i#" < 4'],
  ["frame.epoch = 1.5 and test.i = 3", "frame.epoch = 1.5 and test.i = 3"],
])("%s", (sql, expected) => {
  expect(quoteLoops(sql, ["train.i"])).toBe(expected);
  expect(quoteLoops(expected, ["train.i"])).toBe(expected);
});

test.each([
  ["epoch=3,step=17", ["epoch"], "epoch#=3,step=17"],
  ["epoch=3,step#1=17", ["epoch", "step"], "epoch#=3,step#1#=17"],
  ["epoch=end", ["epoch"], "epoch=end"],
  ["epoch=3", [], "epoch=3"],
  ["", ["epoch"], ""],
])("the path %s by values of %s", (path, loops, expected) => {
  expect(shownPath(path, new Set(loops))).toBe(expected);
});
