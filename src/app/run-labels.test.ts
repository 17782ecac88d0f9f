/** Names stand in the place of ids in texts, but not in what an id is a part of. */
import { expect, test } from "vitest";
import { RunLabels } from "./run-labels.ts";

const ID = "train-20261119-104500-x7q2";
const labels = new RunLabels(() => "/nonexistent");
labels.learn([[ID, "base"]]);

test.each([
  [`afterlog show ${ID}`, "afterlog show base"],
  [`${ID}@epoch=3`, "base@epoch=3"],
  [`--resume=${ID} train.ts`, "--resume=base train.ts"],
  [`"${ID}", ${ID}.`, `"base", base.`],
  [`\u001B[1m${ID}\u001B[22m`, "\u001B[1mbase\u001B[22m"],
  [`base (id ${ID})`, `base (id ${ID})`],
  [`refs/afterlog/runs/${ID}`, `refs/afterlog/runs/${ID}`],
  [`.afterlog/runs/${ID}/run.json`, `.afterlog/runs/${ID}/run.json`],
  [`${ID}.log and my-${ID}`, `${ID}.log and my-${ID}`],
  ["train-20261119-104500-zzzz", "train-20261119-104500-zzzz"],
])("%j", (text, shown) => {
  expect(labels.inText(text)).toBe(shown);
});
