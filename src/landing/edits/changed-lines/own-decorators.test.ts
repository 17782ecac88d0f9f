/** Which decorators of a question leave a function as it is. */
import { beforeAll, expect, test } from "vitest";
import { between } from "../../../../test/support/changed-lines.ts";
import { prepareLanguages } from "../../../languages/index.ts";
import { keepPiece } from "../undo.ts";

beforeAll(() => prepareLanguages(["a.py"]));

/** A decorator with these lines in the function that it makes. */
function show(
  lines: readonly string[],
  more: Partial<{ mark: string; given: string }> = {},
): string {
  const { mark = "@functools.wraps(fn)", given = "*args, **kwargs" } = more;
  const body = lines.map((line) => `        ${line}\n`).join("");
  return `def show(fn):\n    ${mark}\n    def inner(${given}):\n${body}    return inner\n`;
}

/** One that is told a name, and how it is used. */
function told(lines: readonly string[]): string {
  const own = show(lines).replace("show", "around").replaceAll(/^/gm, "    ").trimEnd();
  return `def show(name):\n${own}\n    return around\n@show("n")`;
}

const CALL = "out = fn(*args, **kwargs)";

const SHOWS: readonly (readonly [about: string, decorator: string])[] = [
  ["what it gives", show([CALL, 'print("out", out)', "return out"])],
  [
    "how long it takes",
    show(["t = time.time()", CALL, 'print("t", time.time() - t)', "return out"]),
  ],
  ["what it gets", show(['print("n", len(args), args[0])', "return fn(*args, **kwargs)"])],
  ["by its first argument", show(["return fn(a, *more)"], { given: "a, *more" })],
  ["by a name that it is told", told([CALL, "print(name, out)", "return out"])],
  ["into a list", show([CALL, "seen.append(float(out))", "return out"])],
];

const OTHERS: readonly (readonly [about: string, decorator: string])[] = [
  ["it calls it twice", show([CALL, "again = fn(*args, **kwargs)", "return out"])],
  ["it calls it in a loop", show(["for _ in range(2):", `    ${CALL}`, "return out"])],
  ["it may not call it", show(["if args:", `    ${CALL}`, "return out"])],
  ["it gives something else", show([CALL, "return out * 2"])],
  ["it gives nothing", show([CALL, 'print("out", out)'])],
  ["it changes what it gives", show([CALL, "out += 1", "return out"])],
  ["by another name", show([CALL, "o = out", "o += 1", "return out"])],
  ["by a method", show([CALL, "out.append(1)", "return out"])],
  ["it sets it anew", show([CALL, "out = 1", "return out"])],
  ["it gives other arguments", show(["out = fn(*args)", "return out"])],
  ["it changes them", show(["args = args[1:]", CALL, "return out"])],
  ["in their mapping", show(['kwargs["a"] = 1', CALL, "return out"])],
  ["it goes through what is given once", show([CALL, 'print("n", sum(out))', "return out"])],
  ["as arguments", show([CALL, 'print("n", *out)', "return out"])],
  ["it changes the run", show([CALL, "net.k = 1", "return out"])],
  ["a variable of it", show(["global x", "x = 2", CALL, "return out"])],
  ["it draws a random number", show(["r = random.random()", CALL, "return out"])],
  [
    "it keeps what fails",
    show(["try:", `    ${CALL}`, "except ValueError:", "    out = 0", "return out"]),
  ],
  ["it does not say whom it stands for", show([CALL, "return out"], { mark: "@other(fn)" })],
  ["it takes something else", show(["out = fn(a)", "return out"], { given: "a=1" })],
  ["it gives less than it takes", show(["return fn(a)"], { given: "a, *more" })],
  ["it gives it in another order", show(["return fn(b, a)"], { given: "a, b" })],
  ["it gives what it is told", told([CALL, "return name"])],
  ["it is told what it computes", told([CALL, "return out"]).replace('"n"', "f(1)")],
  ["another function comes back", show([CALL, "return out"]).replace("return inner", "return x")],
  ["it calls it by itself", show([CALL, "return out"]).replace("    @", "    fn(1)\n    @")],
  ["another one of its name", `${show([CALL, "return out"])}show = x\n`],
  ["it is the run's", show([CALL, "return out"]).replace("def show", "def old")],
];

const HEAD = "import functools\nimport random\nimport time\nseen = []\nx = 1\nold = x\n";

function lostWith(decorator: string): { readonly lost: number; readonly canBeUndone: boolean } {
  const step = "def step(a, b=1):\n    c = f(a)\n    return c\n";
  const own = decorator.includes("def old") ? "@old\n" : "@show\n";
  const isTold = decorator.includes("@show");
  const edit = between(
    "a.py",
    `${HEAD.replace("seen = []\n", "")}${step}end(step(x))\n`,
    `${HEAD}${decorator}${isTold ? "\n" : own}${step.replace("    return", "    print(c)\n    return")}end(step(x))\n`,
  );
  const lost = edit.gaps.flatMap((gap) => gap.lost).length;
  return { lost, canBeUndone: keepPiece(edit, []) !== undefined };
}

test.each(SHOWS)("it shows %s", (_, decorator) => {
  expect(lostWith(decorator)).toEqual({ lost: 0, canBeUndone: true });
});

test.each(OTHERS)("another program: %s", (_, decorator) => {
  expect(lostWith(decorator)).toEqual({ lost: 1, canBeUndone: true });
});
