/** Questions of several statements in an older version: where they belong, and whether that is certain. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../test/support/parsed.ts";
import { prepareLanguages } from "../languages/index.ts";
import { editBetween } from "./edits/align.ts";
import { landPiece } from "./land-piece.ts";

beforeAll(() => prepareLanguages(["a.py"]));

const QUESTION = `    net.eval()
    clean = net.forward(x)
    net.train()
    print("ask", clean)
`;

const program = (behind: string): string => `import nets
net = nets.Net()
for epoch in range(4):
    x = nets.batch(epoch)
    net.fit(x)
    net.bias[1] = nets.mix(net.bias[1], x)
${behind}`;

test.each([
  ["what it reads stays", "    spare = nets.mix(x, 7)\n", "moved"],
  ["close by what it reads is changed", "    net.k = nets.mix(net.k, 7)\n", "review"],
])("by one neighbour: %s", (_, then, verdict) => {
  // What gives it another value there may be what stands behind it here.
  const now = "    low, _ = divmod(x, 2)\n    net.j = [low]\n";
  expect(landing(program(then), program(QUESTION + now), QUESTION)).toMatchObject({ verdict });
});

const spoiled = (lines: string): string => `import nets
net = nets.Net()
for epoch in range(4):
    total = nets.fit(net)
${lines}    print("loss", total)
`;

test.each([
  ["a definition", "    root = total**0.5\n"],
  ["a condition", "    root = 0\n    if total > 3:\n        root = 1\n"],
  ["a loop", "    root = 0\n    for _ in range(int(total)):\n        root += 1\n"],
  ["a call", "    root = []\n    root.append(total)\n"],
])("only the older version changes what %s reads", (_, lines) => {
  const question = `${lines}    print("root", root)\n`;
  const divided = "    total = total / 6\n";
  const landed = landing(spoiled(divided), spoiled(question), question);
  expect(landed).toMatchObject({ verdict: "review", text: spoiled(divided + question) });
});

/** The lines of a question, landed in an older text. */
function landing(then: string, now: string, question: string): ReturnType<typeof landPiece> {
  const old = parsed("a.py", then);
  const own = parsed("a.py", now);
  if (!old || !own) throw new Error("it does not parse");
  const from = now.indexOf(question);
  const starts = new Set(
    own.statements
      .map(({ node }) => node.start)
      .filter((start) => from <= start && start < from + question.length),
  );
  return landPiece({
    edit: editBetween(old, own),
    starts,
    files: {
      now: { file: "a.py", text: () => own.text },
      then: { files: ["a.py"], text: () => old.text },
    },
    mode: { handsFree: true },
  });
}
