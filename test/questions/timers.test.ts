/**
 * A `with` of a timer around lines of the run: what it says comes from a clock, and everything else is
 * what the run computed. The truth is the edited program, executed from the start.
 */
import { expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { logged } from "../support/replay.ts";
import type { EditedProgram } from "./programs.ts";
import { after, askedNames, before } from "./programs.ts";

const TIMED: EditedProgram = {
  file: "train.py",
  text: `
import random
import time
from contextlib import contextmanager #+
w = 1.0
class Timer: #+
    def __init__(self, name="step"): #+
        self.name = name #+
        self.all = [] #+
    def __enter__(self): #+
        self.start = time.perf_counter() #+
        return self #+
    def __exit__(self, *args): #+
        self.seconds = time.perf_counter() - self.start #+
        self.all.append(self.seconds) #+
        print("ask_clock_shown", self.seconds) #+
@contextmanager #+
def timed(): #+
    start = time.perf_counter() #+
    kept = {} #+
    try: #+
        yield kept #+
    finally: #+
        kept["seconds"] = time.perf_counter() - start #+
def step(x):
    global w
    w = w * 0.9 + x * random.random()
    return w
for epoch in range(4):
    began = time.perf_counter()
    total = 0.0
    with timed() as whole: #+
        for x in [1.0, 2.0, 3.0]: #<
            with Timer("step") as t: #+
                loss = step(x) #<<
                print("ask_inside", loss) #+
            print("ask_clock", sum(t.all)) #+
            print("ask_name", len(t.name) + loss) #+
            total += loss #<
    print("took", time.perf_counter() - began)
    print("ask_clock_kept", whole["seconds"]) #+
    print("total", total)
    print("ask_total", total * 2) #+
`,
};

test("values of a clock are unchecked, and all others verified", needs("python"), async () => {
  const { file } = TIMED;
  using truth = await record({ [file]: after(TIMED) }, file, "all");
  using asked = await record({ [file]: before(TIMED) }, file, "all");
  edit(asked, { [file]: after(TIMED) });
  for (const name of askedNames(TIMED)) {
    // oxlint-disable-next-line no-await-in-loop -- they share a run
    const { code, stderr, stdout, cells } = await ask(asked, [name]);
    expect(code, stderr + stdout).toBe(0);
    const own = logged(truth.records).filter((one) => one.name === name);
    const isClock = name.startsWith("ask_clock");
    const marks = new Set(cells.map(({ check }) => check));
    expect([name, ...marks]).toEqual([name, isClock ? "unchecked" : "verified"]);
    expect(cells.map(({ path }) => path)).toEqual(own.map(({ path }) => path));
    if (!isClock)
      expect(cells.map(({ value }) => value)).toEqual(own.map(({ value }) => String(value)));
    else expect(cells.every(({ value }) => Number(value) >= 0)).toBe(true);
  }
});

/** What is done before the lines of the run, and behind them. */
const OTHERS: readonly (readonly [about: string, enter: string, exit: string])[] = [
  ["changes an object of the run", "net.k = 2.0", "net.k = 1.0"],
  ["draws a random number", "self.r = random.random()", "pass"],
  ["keeps what fails", "pass", "return True"],
];

test.each(OTHERS)("a with that %s is refused", needs("python"), async (_, enter, exit) => {
  const program: EditedProgram = {
    file: "train.py",
    text: `import random
class Net:
    k = 1.0
net = Net()
class Around: #+
    def __enter__(self): #+
        ${enter} #+
        return self #+
    def __exit__(self, *args): #+
        ${exit} #+
total = 1.0
for epoch in range(3):
    with Around() as around: #+
        total = total * net.k + random.random() #<
    print("q", total if around else 0) #+
    print("total", total)
`,
  };
  const { file } = program;
  using project = await record({ [file]: before(program) }, file, "budget");
  edit(project, { [file]: after(program) });
  const { code, stderr, stdout, cells } = await ask(project, ["q"]);
  expect({ code, cells }).toEqual({ code: 1, cells: [] });
  expect(stderr + stdout).toMatch(
    /`with Around\(\) as around:` \(train\.py:\d+\) is around line \d+ of the run, and may do more/,
  );
});
