/** What was added to ask, and changes what the run computes: lines that end with `#+` were added; `#was:` says what stood there. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import type { FileEdit } from "./align.ts";
import { editBetween } from "./align.ts";
import { pieceFor } from "./piece.ts";

beforeAll(() => prepareLanguages(["a.py"]));

test.each([
  [
    "a change that the run would have felt",
    "x[0] = 2 #+\nv = f(x)\nx[0] = 1 #+\nprint('q', v + 1) #+\n",
    "x[0] = 2",
  ],
  [
    "by a function that reads it",
    "def g():\n    return x[0]\nx[0] = 2 #+\nv = g()\nprint('q', v) #+\n",
    "x[0] = 2",
  ],
  [
    "a model that stays in evaluation mode",
    "m.eval() #+\nv = evaluate(m)\nprint('q', v) #+\n",
    "m.eval()",
  ],
  [
    "set back at once",
    "x[0] = 2 #+\ny = f(x) #+\nx[0] = 1 #+\nv = f(x)\nprint('q', v) #+\n",
    undefined,
  ],
  [
    "of what nothing of the run reads",
    "y = {} #+\ny['a'] = 2 #+\nv = f(x)\nprint('q', v) #+\n",
    undefined,
  ],
  ["a name that the run reads later", "m = m * 2 #+\nprint('q', m) #+\nv = f(m)\n", "m = m * 2"],
  [
    "in the next iteration",
    "for i in x:\n    v = f(m)\n    m = 2 #+\n    print('q', m) #+\n",
    "m = 2",
  ],
  [
    "behind the loop",
    "for i in x:\n    f(i)\n    for m in x: #+\n        print('q', m) #+\nv = f(m)\n",
    "for m in x:\n        print('q', m)",
  ],
  [
    "by a function that is called",
    "def g():\n    return m\nfor i in x:\n    m = 2 #+\n    print('q', m) #+\n    v = g()\n",
    "m = 2",
  ],
  [
    "in one branch only",
    "for i in x:\n    m = 2 #+\n    print('q', m) #+\n    if i:\n        m = 1\n    v = m\n",
    "m = 2",
  ],
  [
    "by the run's own name for something else",
    "def g():\n    return 1\nfor i in x:\n    v = g()\n    g = v #+\n    print('q', g) #+\n",
    "g = v",
  ],
  [
    "by a name that hides a built-in",
    "for i in x:\n    v = max(x)\n    max = v #+\n    print('q', max) #+\n",
    "max = v",
  ],
  [
    "set again before it is read",
    "for i in x:\n    m = f(i)\n    v = m\n    m = 2 #+\n    print('q', m) #+\n",
    undefined,
  ],
  [
    "set again by the head of a loop",
    "for i in x:\n    for m in x:\n        v = m\n    for m in x: #+\n        print('q', m) #+\n",
    undefined,
  ],
  [
    "given back",
    "for i in x:\n    was = m #+\n    m = 2 #+\n    print('q', f(m)) #+\n    m = was #+\n    v = m\n",
    undefined,
  ],
  [
    "given back, though it may be changed where it is",
    "r = f(x)\nfor i in x:\n    was = r #+\n    r *= 2 #+\n    print('q', f(r)) #+\n    r = was #+\n    v = r\n",
    "r *= 2",
  ],
  [
    "a number given back",
    "for i in x:\n    was = m #+\n    m *= 2 #+\n    print('q', f(m)) #+\n    m = was #+\n    v = m\n",
    undefined,
  ],
  [
    "counted back",
    "for i in x:\n    m *= 2 #+\n    print('q', f(m)) #+\n    m /= 2 #+\n    v = m\n",
    "m *= 2",
  ],
  [
    "set back where it is",
    "r = f(x)\nfor i in x:\n    was = r.copy() #+\n    r *= 2 #+\n    print('q', f(r)) #+\n    r[:] = was #+\n    v = r\n",
    undefined,
  ],
  [
    "that nothing of the run reads, in a function",
    "def g(n):\n    for i in x:\n        s, _ = f(i)\n        t, _ = f(s) #+\n        print('q', t) #+\n        if i % n == 0:\n            f(s)\n",
    undefined,
  ],
  [
    "that the run reads, in a function",
    "def g(n):\n    for i in x:\n        s, _ = f(i)\n        t, _ = f(s) #+\n        print('q', t) #+\n        if i % n == 0:\n            f(_)\n",
    "t, _ = f(s)",
  ],
  [
    "by a function in a function",
    "def g(n):\n    def h():\n        return k\n    k = 1\n    for i in x:\n        k = 2 #+\n        print('q', k) #+\n        v = h()\n",
    "k = 2",
  ],
  [
    "by a log call that is not asked",
    "import random\nfor i in x:\n    print('r', random.random()) #+\n    m = random.random()\n    print('q', m) #+\n",
    undefined,
  ],
  [
    "a name that the run reads in a later round before it sets it",
    "for e in range(2):\n    for i in range(3):\n        x = i\n        a = i * 5 #+\n        print('q', a) #+\n        if e > 0: use(a)\n    a = f()\n",
    "a = i * 5",
  ],
  [
    "a name that the run sets in a branch only",
    "for i in range(3):\n    x = i\n    a = i * 5 #+\n    print('q', a) #+\nif x > 9:\n    a = f()\nprint('c', a)\n",
    "a = i * 5",
  ],
  [
    "a name that the run sets unless it leaves the loop",
    "for i in range(3):\n    x = i\n    a = i * 5 #+\n    print('q', a) #+\n    if x > 1: break\n    a = f()\nprint('c', a)\n",
    "a = i * 5",
  ],
  [
    "a name that the run sets unless it goes on",
    "for i in range(3):\n    x = i\n    a = i * 5 #+\n    print('q', a) #+\n    if x > 1:\n        continue\n    a = f()\nprint('c', a)\n",
    "a = i * 5",
  ],
  [
    "by a method, whoever calls it",
    "class G:\n    def g(self):\n        return k\nk = 1\nfor i in x:\n    k = 2 #+\n    print('q', k) #+\n    G().g()\n    k = 1\n",
    "k = 2",
  ],
  [
    "a loop that counts by the index of another one",
    "for i in x:\n    f(i)\nfor e in x:\n    for i, y in enumerate(x): #was: for y in x:\n        f(y)\n        print('q', i) #+\n    for i in x:\n        f(i)\n",
    undefined,
  ],
  [
    "in a function that is called again",
    "def g(n):\n    for i, y in enumerate(x): #was: for y in x:\n        f(y)\n        print('q', i) #+\n    for i in x:\n        f(i)\nfor e in x:\n    g(e)\n",
    undefined,
  ],
  [
    "that the run reads behind it",
    "for i in x:\n    f(i)\nfor i, y in enumerate(x): #was: for y in x:\n    f(y)\n    print('q', i) #+\nf(i)\n",
    "for i, y in enumerate(x):\n    f(y)\n    print('q', i)",
  ],
  [
    "that the run reads in it",
    "for i in x:\n    for i, y in enumerate(x): #was: for y in x:\n        f(i)\n        print('q', i) #+\n",
    "for i, y in enumerate(x):\n        f(i)\n        print('q', i)",
  ],
])("an intervention: %s", (_, text, expected) => {
  const now = `x = [1]\nm = 0\n${text}`;
  const then = now.split("\n").filter((line) => !line.endsWith("#+"));
  const before = then.map((line) => line.replace(/^( *).*#was: /, "$1"));
  const edit = between(before.join("\n"), now.replaceAll(/ *#(?:\+|was: .*)$/gm, ""));
  const { added } = pieceFor(edit, [edit.now.text.indexOf("'q'")]).intervention ?? {};
  expect(added && edit.now.text.slice(added.node.start, added.node.end)).toBe(expected);
});

function between(then: string, now: string): FileEdit {
  const [old, own] = [parsed("a.py", then), parsed("a.py", now)];
  if (!old || !own) throw new Error("it does not parse");
  return editBetween(old, own);
}
