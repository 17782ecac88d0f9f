/** Which questions put a function of theirs where the run would call it: lines that end with `#+` were added. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { editBetween, pieceFor } from "../../landing/index.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { handedOver } from "./handed-over.ts";

beforeAll(() => prepareLanguages(["a.py", "a.js"]));

test.each([
  ["a.py", "cbs.append(lambda l: print('q', l)) #+", "cbs.append"],
  ["a.py", "def f(l): #+\n    print('q', l) #+\ncbs.append(f) #+", "cbs.append(f)"],
  [
    "a.py",
    "class F: #+\n    def __call__(self, l): #+\n        print('q', l) #+\ncbs.append(F()) #+",
    "cbs.append(F())",
  ],
  [
    "a.py",
    "seen = [] #+\ndef f(l): #+\n    seen.append(l) #+\ncbs.append(f) #+\nnet(1)\nprint('q', seen) #+",
    "cbs.append(f)",
  ],
  ["a.py", "net.cbs.insert(0, lambda l: print('q', l)) #+", "net.cbs.insert"],
  [
    "a.py",
    "hooks['x'] = lambda l: print('q', l) #+\nfor name, f in hooks.items():\n    f(1)",
    "hooks['x']",
  ],
  // The run calls it where it looked for one anyway, or the question takes it away again.
  ["a.py", "hooks['x'] = lambda l: print('q', l) #+\nhooks['x'](1)", undefined],
  ["a.py", "cbs.append(lambda l: print('q', l)) #+\nnet(1) #+\ncbs.pop() #+", undefined],
  ["a.py", "own = [] #+\nown.append(lambda l: print('q', l)) #+", undefined],
  ["a.py", "seen = [] #+\nseen.append(1) #+\nprint('q', seen) #+", undefined],
  ["a.py", "h = net.register(lambda l: print('q', l)) #+", undefined],
  ["a.js", "cbs.push((l) => console.log('q', l)); //+", "cbs.push"],
  ["a.js", "const f = (l) => console.log('q', l); //+\ncbs.push(f); //+", "cbs.push(f)"],
])("%s: %s", (file, text, expected) => {
  const head = file === "a.py" ? "cbs = []\nhooks = {}\nnet.cbs = cbs\n" : "const cbs = [];\n";
  const lines = (head + text).split("\n");
  const then = parsed(file, `${lines.filter((line) => !/(?:#|\/\/)\+$/.test(line)).join("\n")}\n`);
  const now = parsed(
    file,
    `${lines.map((line) => line.replace(/ *(?:#|\/\/)\+$/, "")).join("\n")}\n`,
  );
  if (!then || !now) throw new Error("it does not parse");
  const edit = editBetween(then, now);
  const { statements } = pieceFor(edit, [now.text.search(/(?:print|console\.log)\('q'/)]);
  const why = handedOver(
    edit,
    statements.map(({ statement }) => statement),
  );
  if (expected === undefined) expect(why).toBeUndefined();
  else expect(why).toContain(`\`${expected}`);
});
