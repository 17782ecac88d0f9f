/** A loop over the same values by another name is the same loop; one over other values is asked about. */
import { beforeAll, expect, test } from "vitest";
import { landed } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py"]));

/** A program that goes over something, after some lines. */
const over = (head: string, what: string, asked = ""): string =>
  `# A program\n${head}w = 0.0\nfor e in range(3):\n    for x in ${what}:\n        w = w + 0.1 * x\n${asked}    print("w", w)\n`;
const ASK = '        print("q", w)  # asked\n';

type Row = readonly [then: readonly [string, string], now: readonly [string, string]];

const SAME: { readonly [about: string]: Row } = {
  "what a call gives, that got a name": [
    ["import nets\n", "nets.load()"],
    ["import nets\nsamples = nets.load()\n", "samples"],
  ],
  "what a call gives, that had a name": [
    ["import nets\nsamples = nets.load()\n", "samples"],
    ["import nets\n", "nets.load()"],
  ],
  "what a call gives, by another name and elsewhere": [
    ["import nets\ndata = nets.load()\ndef f(x):\n    return x\n", "data"],
    ["import nets\nif True:\n    samples = nets.load()\n", "samples"],
  ],
  "a number with another name and another value": [
    ["epochs = 3\n", "range(epochs)"],
    ["NUM_STEPS = 5\n", "range(NUM_STEPS)"],
  ],
  "a number that is an option since": [
    ["N_STEPS = 3\n", "range(N_STEPS)"],
    ["import argparse\nargs = argparse.ArgumentParser().parse_args()\n", "range(args.steps)"],
  ],
  "what a function with another name here gives": [
    ["from nets import load_data\ndata = load_data()\n", "data"],
    ["from nets import load_data as load\nsamples = load()\n", "samples"],
  ],
};

test.each(Object.entries(SAME))("the same loop: %s", (_, [then, now]) => {
  const { verdict, warnings } = landed({ then: over(...then), now: over(...now, ASK) });
  expect(warnings.map(({ text }) => text)).not.toContainEqual(expect.stringContaining("goes over"));
  expect(verdict).not.toBe("review");
});

const OTHER: { readonly [about: string]: Row } = {
  "two names of which each has what the same call gives": [
    ["import nets\ntrain = nets.load()\ntest = nets.load()\n", "test"],
    ["import nets\ntrain = nets.load()\ntest = nets.load()\n", "train"],
  ],
  "what another argument gives": [
    ["import nets\ntest = nets.load('test')\n", "test"],
    ["import nets\ntrain = nets.load('train')\nprint(len(train))\n", "train"],
  ],
  "a list that is changed": [
    ["import nets\n", "nets.load()"],
    ["import nets\nsamples = nets.load()\nsamples.append(4)\n", "samples"],
  ],
  "a list that a function may change": [
    ["import nets\n", "nets.load()"],
    ["import nets\nsamples = nets.load()\nnets.shuffle(samples)\n", "samples"],
  ],
  "as often as another number says": [
    ["N_TEST = 3\n", "range(N_TEST)"],
    ["import opts\n", "range(opts.train)"],
  ],
  "a name that has two values": [
    ["import nets\n", "nets.load()"],
    ["import nets\nsamples = nets.load()\nif len(samples) > 9:\n    samples = []\n", "samples"],
  ],
};

test.each(Object.entries(OTHER))("another loop: %s", (_, [then, now]) => {
  const { verdict, warnings } = landed({ then: over(...then), now: over(...now, ASK) });
  expect(verdict).toBe("review");
  expect(warnings.map(({ text }) => text).join()).toMatch(/goes over something else there/);
});
