/** Lines of a loop that were made a function, in both directions: what it is handed and gives back is the same value. */
import { beforeAll, expect, test } from "vitest";
import { landed } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

interface Forms {
  /** `#1`: a line in the loop, `#2`: behind it, `#3`: behind the call. */
  readonly inline: string;
  readonly made: string;
  readonly asked: { readonly [mark: string]: string };
}

const PYTHON: Forms = {
  inline: `# A model
net, other, data = make()
for epoch in range(3):
    total = 0.0
    for x in data:
        loss = net(x)
        net.step(loss)
        #1
        total += loss
    #2
    print("loss", total)
    net.decay(epoch)
    #3
`,
  made: `# A model
net, other, data = make()
def train(net, data):
    total = 0.0
    for x in data:
        loss = net(x)
        net.step(loss)
        #1
        total += loss
    #2
    return total
for epoch in range(3):
    total = train(net, data)
    print("loss", total)
    net.decay(epoch)
    #3
`,
  asked: {
    "#1": 'print("q", net.w)  # asked',
    "#2": 'print("q", total)  # asked',
    "#3": 'print("q", total)  # asked',
  },
};

const TYPESCRIPT: Forms = {
  inline: `const [net, other, data] = make();
for (let epoch = 0; epoch < 3; epoch++) {
  let total = 0;
  for (const x of data) {
    const loss = net.run(x);
    net.step(loss);
    #1
    total += loss;
  }
  #2
  console.log("loss", total);
  net.decay(epoch);
  #3
}
`,
  made: `const [net, other, data] = make();
function train(net, data) {
  let total = 0;
  for (const x of data) {
    const loss = net.run(x);
    net.step(loss);
    #1
    total += loss;
  }
  #2
  return total;
}
for (let epoch = 0; epoch < 3; epoch++) {
  const total = train(net, data);
  console.log("loss", total);
  net.decay(epoch);
  #3
}
`,
  asked: {
    "#1": 'console.log("q", net.w); // asked',
    "#2": 'console.log("q", total); // asked',
    "#3": 'console.log("q", total); // asked',
  },
};

/** A text without marks, but for what is asked at one of them. */
function withAsked(text: string, mark?: string, asked = ""): string {
  const lines = text.split("\n").flatMap((line) => {
    const own = /#\d$/.exec(line)?.[0];
    if (own === undefined) return [line];
    return own === mark ? [line.replace(own, asked)] : [];
  });
  return lines.join("\n");
}

const languages = { Python: PYTHON, TypeScript: TYPESCRIPT };
const rows = Object.entries(languages).flatMap(([language, forms]) =>
  Object.entries(forms.asked).flatMap(([mark, asked]) => [
    [language, mark, "made", withAsked(forms.inline), withAsked(forms.made, mark, asked)] as const,
    [
      language,
      mark,
      "undone",
      withAsked(forms.made),
      withAsked(forms.inline, mark, asked),
    ] as const,
  ]),
);

test.each(rows)("nobody is asked in %s at %s of a function that was %s", (...row) => {
  const [, , , then, now] = row;
  const { verdict, warnings } = landed({ then, now });
  expect(verdict, warnings.map(({ text }) => text).join()).toMatch(/^(?:exact|moved)$/);
});

test("nobody is asked where the function was called oftener", () => {
  const now = withAsked(PYTHON.made, "#2", PYTHON.asked["#2"]);
  const then = `${withAsked(PYTHON.made)}train(net, data)\n`;
  expect(landed({ then, now }).verdict).not.toBe("review");
});

const others: [string, string, (made: string) => string][] = [
  [
    "it is handed another one",
    "#1",
    (made) => made.replace("train(net, data)\n    p", "train(other, data)\n    p"),
  ],
  ["it is called for two", "#1", (made) => `${made}    train(other, data)\n`],
  ["it is handed a part", "#1", (made) => made.replace("= train(net, ", "= train(net.copy, ")],
  ["it is given to somebody", "#1", (made) => `${made}    every(train)\n`],
  [
    "it gives back something else",
    "#3",
    (made) => made.replace("return total", "return total / 2"),
  ],
  [
    "the sum begins before",
    "#2",
    (made) => made.replace("    total = 0.0\n", "").replace("def train", "total = 0.0\ndef train"),
  ],
  [
    "it is called in another loop",
    "#2",
    (made) =>
      made.replace(
        "    total = train(net, data)",
        "    for part in data:\n        total = train(net, part)",
      ),
  ],
];

test.each(others)("somebody is asked where %s", (_, mark, change) => {
  const then = change(withAsked(PYTHON.made));
  expect(then).not.toBe(withAsked(PYTHON.made));
  const now = withAsked(PYTHON.inline, mark, PYTHON.asked[mark]);
  expect(landed({ then, now }).verdict).toBe("review");
});
