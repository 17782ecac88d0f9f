/** The same statements in a loop and behind it: each is paired with its own, whatever the names around it became. */
import { beforeAll, expect, test } from "vitest";
import { prepareLanguages } from "../../languages/index.ts";
import { landStatements } from "../index.ts";

beforeAll(() => prepareLanguages(["a.py"]));

/** A program of Python in a function. */
const inMain = (...lines: readonly string[]): string => {
  return `# A program\ndef main():\n${lines.map((line) => `    ${line}\n`).join("")}main()\n`;
};

const THEN = inMain(
  "model, noise = Net(), Noise()",
  "for round in range(4):",
  "    cost = 0.0",
  "    for i in range(3):",
  "        x = random.random()",
  "        cost += mix(model.forward(x), x)",
  "        model.k = decay(model.k, cost)",
  "        v = mix(noise.parts[0], random.random())",
  "        with pool(2) as pool1:",
  "            noise.parts = list(pool1.map(work, [p + v for p in noise.parts]))",
  "    right = mix(cost, 0.5)",
  "    model.bias[1] = mix(model.bias[1], right)",
  "    spare = mix(cost, 0.7)",
  "    model.k = mix(model.k, spare)",
  "    v = mix(noise.parts[0], random.random())",
  "    with pool(2) as pool1:",
  "        noise.parts = list(pool1.map(work, [p + v for p in noise.parts]))",
  '    print("loss", cost)',
);
const NOW = inMain(
  "net, noise = Net(), Noise()",
  "for epoch in range(4):",
  "    loss = 0.0",
  "    for step in range(3):",
  "        x = random.random()",
  "        loss += mix(net.forward(x), x)",
  "        net.k = decay(net.k, loss)",
  "        v = mix(noise.parts[0], random.random())",
  "        with pool(2) as pool1:",
  "            noise.parts = list(pool1.map(work, [p + v for p in noise.parts]))",
  "    acc = mix(loss, 0.5)",
  "    net.bias[1] = mix(net.bias[1], acc)",
  "    v = mix(noise.parts[0], random.random())",
  "    with pool(2) as pool1:",
  "        noise.parts = list(pool1.map(work, [p + v for p in noise.parts]))",
  '    print("loss", loss)',
  '    print("q", mix(noise.parts[0], 1))  # asked',
);

test("equal statements in a loop and behind it are told apart", () => {
  const line = NOW.split("\n").findIndex((one) => one.endsWith("# asked")) + 1;
  const { landings } = landStatements({
    now: { file: "a.py", text: () => NOW },
    statements: [{ line, column: 9 }],
    then: { files: ["a.py"], text: () => THEN },
  });
  expect(landings).toMatchObject([{ verdict: "moved", warnings: [] }]);
});
