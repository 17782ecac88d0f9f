/**
 * The audit of changesets of Python programs: variables are changed in ways that the analysis is
 * known not to see, and the run notices; the loop is then executed whenever something is asked.
 */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { ask, costOf } from "../support/ask.ts";
import { INTERPRETERS } from "../support/python.ts";

/** Each line of the epoch changes something unseen; `same` and `flat` are looked at and stay. */
const TRAIN = `import ctypes, gc, os, signal, sys
sys.path.append("site-packages")
import odd
import afterlog as al

class Box:
    def __init__(self):
        self.n = 0

class Tally:
    n, seen = 0, [1]

kept, named, listed, found, plain = Box(), {"n": 0}, [0], Box(), 3
same, flat = {"lr": 0.5, "sizes": [1, 2]}, [float("nan"), -0.0]
odd.keep(kept)
odd.keep(Tally)
address = id(listed)
w = 0.0
for epoch in al.loop("epoch", range(3)):
    for step in al.loop("step", range(4)):
        w += same["lr"] * step
        al.log("loss", w)
    # a module of a package, a frame, an address, the collector
    odd.touch()
    sys._getframe().f_globals["named"]["n"] += 1
    sys._getframe().f_globals["plain"] = epoch
    ctypes.cast(address, ctypes.py_object).value.append(epoch)
    for one in gc.get_objects():
        if type(one) is Box and one.n < 100:
            one.n += 10
# end
al.log("sum", [kept.n, named, listed, found.n, plain, Tally.n])
`;

const ODD = `kept = []
def keep(one):
    kept.append(one)
def touch():
    for one in kept:
        one.n += 1
`;

const NAMES = ["Tally", "found", "kept", "listed", "named", "plain"];
const command = INTERPRETERS[0] ?? "python3";
const line = (name: string): string => `train.py:19 \`${name}\` changes inside the loop`;

test("changes that the analysis misses are found, reported and planned around", async () => {
  using project = new TestProject({
    "train.py": TRAIN,
    ".gitignore": "site-packages\n",
    "site-packages/odd.py": ODD,
  });
  const run = ["run", "--python", command, "--overhead", "inf", "train.py"];
  const recorded = await project.afterlog(...run);
  expect(recorded.code, recorded.stderr).toBe(0);
  const { manifest } = project;
  const findings = manifest.audit?.map(({ name, loop, line: at }) => [name, loop, at]);
  expect(findings?.toSorted()).toEqual(NAMES.map((name) => [name, "epoch", 19]));
  for (const name of NAMES) expect(recorded.stderr).toContain(line(name));
  expect((await project.afterlog("show")).stdout).toContain(line("kept"));

  project.write("train.py", TRAIN.replace("# end", 'al.log("all", [w, kept.n, listed, plain])'));
  const answer = await ask(project, ["all"]);
  const { share, notes } = costOf(answer);
  expect(share, notes.join("\n")).toBe(1);
  expect(notes.join("\n")).toContain('(train.py:19) changes in loop "epoch" and was not captured');
  // What the collector lists, and where an object lies, no comparison can vouch for.
  expect(answer.cells.map(({ value, check }) => [JSON.parse(value), check])).toEqual([
    [[9, 33, [0, 0, 1, 2], 2], "unchecked"],
  ]);

  // A later run of the program knows it from the start, and keeps it though it is killed.
  project.write("train.py", TRAIN.replace("# end", "os.kill(os.getpid(), signal.SIGKILL)"));
  expect((await project.afterlog(...run)).code).not.toBe(0);
  expect(project.manifest.audit?.map(({ run: known }) => known)).toEqual(
    Array(NAMES.length).fill(manifest.run),
  );
  // Until the checkpoints hold the names.
  const seen = TRAIN.replace(
    "    # a module",
    "    Tally.n += 0; kept.n += 0; found.n += 0; listed.append(0)\n$&",
  );
  project.write("train.py", seen.replace("    # a mo", '    named["n"] += 0; plain += 0\n$&'));
  const fixed = await project.afterlog(...run);
  expect(fixed.stderr).not.toContain("was not captured");
  expect(project.manifest.audit).toEqual([]);
});

test("a program that never heard of Afterlog is audited too", async () => {
  const text = TRAIN.replace("import afterlog as al\n", "\n")
    .replaceAll(/al\.loop\("\w+", (range\(\d\))\)/g, "$1")
    .replaceAll("al.log", "print");
  using project = new TestProject({
    "train.py": text,
    ".gitignore": "site-packages\n",
    "site-packages/odd.py": ODD,
  });
  const { code, stderr } = await project.afterlog("run", "--python", command, "train.py");
  expect(code, stderr).toBe(0);
  const { handsFree, audit } = project.manifest;
  expect(handsFree).toBe(true);
  // The loop over the collector's objects is one as well.
  const findings = audit?.filter(({ loop }) => loop === "epoch");
  expect(findings?.map(({ name, line: at }) => [name, at]).toSorted()).toEqual(
    NAMES.map((name) => [name, 19]),
  );
});

/** What lies deep in something large, is put on a function, or comes late among many names. */
const DEEP = `import os, signal, sys
sys.path.append("site-packages")
import odd

class Box:
    def __init__(self):
        self.n = 0

def count():
    return count.n
count.n = 0

def make():
    kept = Box()
    def get():
        return kept.n
    odd.keep(kept)
    return get
get = make()

${Array.from({ length: 70 }, (_, n) => `a${n} = [${n}]`).join("\n")}
boxes = [[Box()] for _ in range(300)]
same = [[n] for n in range(300)]
z = Box()
odd.keep(boxes[200][0])
odd.keep(count)
odd.keep(z)
w = 0.0
for epoch in range(6):
    w += 0.5
    odd.touch()
    if epoch == 4 and os.environ.get("DIE"):
        os.kill(os.getpid(), signal.SIGKILL)
    print("sum", [w, boxes[200][0].n, count(), z.n, get()])
`;

test("what is deep, late or in a function is found, and a resumed run begins before it", async () => {
  using project = new TestProject({
    "train.py": DEEP,
    ".gitignore": "site-packages\n",
    "site-packages/odd.py": ODD,
  });
  const run = ["run", "--python", command, "--overhead", "inf", "train.py"];
  const recorded = await project.afterlog(...run);
  expect(recorded.code, recorded.stderr).toBe(0);
  const names = ["boxes", "count", "get", "z"];
  expect(project.manifest.audit?.map(({ name }) => name).toSorted()).toEqual(names);

  using killed = new TestProject({
    "train.py": DEEP,
    ".gitignore": "site-packages\n",
    "site-packages/odd.py": ODD,
  });
  expect((await killed.afterlogWith({ DIE: "1" }, ...run)).code).not.toBe(0);
  const resumed = await killed.afterlog("run", "--resume", ...run.slice(1));
  expect(resumed.stdout).toContain("sum [3.0, 6, 6, 6, 6]");
});
