/** What stands elsewhere and does the same there is no difference: the older version's order is kept. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import type { FileEdit } from "./align.ts";
import { editBetween } from "./align.ts";
import { pieceFor } from "./piece.ts";
import { keepPiece } from "./undo.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

/** The question is what logs `ask`; `expected`: the older text with it, apart from its layout. */
interface Row {
  readonly about: string;
  readonly file: string;
  readonly then: string;
  readonly now: string;
  readonly expected: string;
}

const ROWS: readonly Row[] = [
  {
    about: "sorted imports, in and among statements",
    file: "a.py",
    then: "import math\nimport random\nfrom os import sep, name\nx = math.pi",
    now: "import random\nimport math\nfrom os import name, sep\nx = math.pi\nprint('ask', math.sin(x))",
    expected:
      "import math\nimport random\nfrom os import name, sep\nx = math.pi\nprint('ask', math.sin(x))",
  },
  {
    about: "imports that are split and joined",
    file: "a.py",
    then: "import os, sys\nfrom math import pi\nfrom math import sin\nx = sin(pi)",
    now: "import os\nimport sys\nfrom math import pi, sin\nx = sin(pi)\nprint('ask', os.sep)",
    expected:
      "import os, sys\nfrom math import pi\nfrom math import sin\nx = sin(pi)\nprint('ask', os.sep)",
  },
  {
    about: "an import that has more, and stands elsewhere",
    file: "a.ts",
    then: 'import { b, a } from "./x";\nimport { c } from "./y";\nconst x = a + b + c;',
    now: 'import { c } from "./y";\nimport { a, b, d } from "./x";\nconst x = a + b + c;\nconsole.log("ask", d);',
    expected:
      'import { c } from "./y";\nimport { a, b, d } from "./x";\nconst x = a + b + c;\nconsole.log("ask", d);',
  },
  {
    about: "functions and classes",
    file: "a.ts",
    then: "function f() { return 1; }\nclass A { f() {} g() {} }\nconst x = f();",
    now: 'class A { g() {} f() {} }\nconst x = f();\nconsole.log("ask", x);\nfunction f() { return 1; }',
    expected:
      'function f() { return 1; }\nclass A { f() {} g() {} }\nconst x = f();\nconsole.log("ask", x);',
  },
  {
    about: "an import that is there already",
    file: "a.py",
    then: "import time\ndef f():\n    t = time.time()\nf()",
    now: "import time\nimport time\ndef f():\n    import time\n    t = time.time()\n    print('ask', t)\nf()",
    expected: "import time\ndef f():\n    t = time.time()\n    print('ask', t)\nf()",
  },
];

function editOf(file: string, ...texts: readonly [string, string]): FileEdit {
  const [then, now] = texts.map((text) => parsed(file, text));
  if (!then || !now) throw new Error("it cannot be read");
  return editBetween(then, now);
}

test.each(ROWS)("$about", ({ file, then, now, expected }) => {
  const edit = editOf(file, then, now);
  const asked = edit.gaps.flatMap(({ added }) => {
    return added.filter(({ isLog }) => isLog).map(({ node }) => node.start);
  });
  const { statements, intervention } = pieceFor(edit, asked);
  expect(intervention).toBeUndefined();
  const text = keepPiece(edit, statements)?.text ?? "";
  expect(text.trim().split(/\s+/)).toEqual(expected.split(/\s+/));
});

test("what does something when it is executed has moved", () => {
  const { gaps } = editOf("a.py", "x = f()\ny = 1\n", "y = 1\nx = f()\n");
  expect(gaps.flatMap(({ lost }) => lost)).toHaveLength(1);
});

test("what was added at the beginning of a block is new", () => {
  const edit = editOf("a.py", "for x in f():\n    g(x)\n", "for x in f():\n    y = x\n    g(x)\n");
  const added = edit.gaps.flatMap((gap) => gap.added);
  expect(added.map(({ node }) => edit.startBefore(node.start))).toEqual([undefined]);
});
