/** @file Programs in which a decorator shows what functions get and give. */
import type { EditedProgram } from "./programs.ts";

export const DECORATED: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `
import functools #+
import random
w = [1.0, 2.0]
seen = [] #+
def show(fn): #+
    @functools.wraps(fn) #+
    def inner(*args, **kwargs): #+
        out = fn(*args, **kwargs) #+
        print("ask_out", out) #+
        print("ask_first", args[0] + out) #+
        seen.append(out) #+
        return out #+
    return inner #+
@show #+
def step(x, rate=0.1):
    before = w[0]
    for k in range(2):
        w[k] = w[k] * 0.9 + rate * x * random.random()
    print("ask_inside", w[0] - before) #+
    return sum(w)
for epoch in range(6):
    total = 0.0
    for x in [1.0, 2.0]:
        total += step(x, rate=0.2)
    print("ask_seen", len(seen)) #+
    print("ask_total", total * 2) #+
    print("total", total)
`,
  },
];

/** Decorators after which the run would have computed something else. */
export const OTHER_DECORATORS: readonly EditedProgram[] = [
  ["out = fn(*args, **kwargs)", "return out * 2"],
  ["fn(*args, **kwargs)", "return fn(*args, **kwargs)"],
].map(([first = "", last = ""]): EditedProgram => ({
  file: "train.py",
  text: `import functools
import random
w = [1.0]
def show(fn): #+
    @functools.wraps(fn) #+
    def inner(*args, **kwargs): #+
        ${first} #+
        print("q", args[0]) #+
        ${last} #+
    return inner #+
@show #+
def step(x):
    w[0] = w[0] * 0.9 + random.random()
    return w[0] * x
for epoch in range(3):
    total = step(2.0)
    print("total", total)
`,
}));
