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
  const files = [program(then), program(QUESTION + now)].map((text) => parsed("a.py", text));
  const [old, own] = files;
  if (!old || !own) throw new Error("it does not parse");
  const starts = new Set(
    own.statements
      .filter(({ node }) => QUESTION.includes(`${own.text.slice(node.start, node.end)}\n`))
      .map(({ node }) => node.start),
  );
  const landed = landPiece({
    edit: editBetween(old, own),
    starts,
    files: {
      now: { file: "a.py", text: () => own.text },
      then: { files: ["a.py"], text: () => old.text },
    },
    mode: { handsFree: true },
  });
  expect(landed).toMatchObject({ verdict });
});
