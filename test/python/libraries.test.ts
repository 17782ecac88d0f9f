/** What both languages read in the descriptions of Python's libraries: the same words for each name. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { descriptionsOf } from "../../src/languages/libraries/descriptions.ts";
import { INTERPRETERS, PACKAGES } from "../support/python.ts";

const ASK = `
import builtins, json, sys
from afterlog.source import libraries
found = {}
for package, kind, name in json.load(sys.stdin):
    tables = [one.tables[kind] for one in libraries._of_package(package)]
    entries = [table.find(name) for table in tables]
    words = [sorted(entry.words) for entry in entries if entry is not None]
    found["|".join((package, kind, name))] = words
known = [name for name in dir(builtins) if not name.startswith("_")]
print(json.dumps({"found": found, "builtins": known}))
`;

const KINDS = ["functions", "methods", "nondeterministic"] as const;
/** Besides all that stand there: what only patterns find, or none. */
const OTHERS = [
  "",
  "x",
  "x_",
  "set_x",
  "_x",
  "a.b",
  "randn",
  "Dropout3d",
  "nn.init.zeros_",
  "FooError",
];

type Asked = [package_: string, kind: (typeof KINDS)[number], name: string];

const asked: Asked[] = descriptionsOf("python").flatMap((one) =>
  one.packages.flatMap((name) =>
    KINDS.flatMap((kind) =>
      [...one[kind].named.keys(), ...OTHERS].map((entry): Asked => [name, kind, entry]),
    ),
  ),
);

function wordsOf([name, kind, entry]: Asked): string[][] {
  const those = descriptionsOf("python").filter(({ packages }) => packages.includes(name));
  const found = those.flatMap((one) => one[kind].find(entry) ?? []);
  return found.map(({ words }) => [...words].toSorted());
}

describe.each(INTERPRETERS.slice(0, 1))("%s", (command) => {
  const { stdout, stderr } = spawnSync(command, ["-c", ASK], {
    cwd: PACKAGES,
    input: JSON.stringify(asked),
    env: { ...process.env, AFTERLOG_MODE: "off" },
    encoding: "utf8",
  });
  const answer = JSON.parse(stdout || JSON.stringify({ stderr })) as {
    readonly found: { readonly [asked: string]: string[][] };
    readonly builtins: readonly string[];
  };

  test("reads the same of every name", () => {
    const own = Object.fromEntries(asked.map((one) => [one.join("|"), wordsOf(one)]));
    expect(Object.keys(own).length).toBeGreaterThan(500);
    expect(answer.found).toEqual(own);
  });

  test("has no built-in function that is not described", () => {
    const [builtins] = descriptionsOf("python").filter(({ packages }) =>
      packages.includes("builtins"),
    );
    const known = [...(builtins?.functions.named.keys() ?? []), ...(builtins?.constants ?? [])];
    const literals = ["True", "False", "None"];
    expect(answer.builtins.filter((name) => ![...known, ...literals].includes(name))).toEqual([]);
  });
});
