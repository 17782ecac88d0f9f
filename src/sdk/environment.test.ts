import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChangedVariables } from "./environment.ts";
import { changedVariables, environmentHashes, unknownVariables } from "./environment.ts";

/** All variables that a program names have another value than before. */
function changed(program: string): ChangedVariables {
  const root = mkdtempSync(join(tmpdir(), "environment-"));
  try {
    writeFileSync(join(root, "train.ts"), program);
    const sources = { root, files: ["train.ts", "gone.ts"], salt: "run" };
    const all = (value: string): NodeJS.ProcessEnv => new Proxy({}, { get: () => value });
    const before = environmentHashes(sources, all("1"));
    expect(changedVariables(before, environmentHashes(sources, all("1")))).toEqual({
      computed: [],
      surroundings: [],
    });
    return changedVariables(before, environmentHashes(sources, all("2")));
  } finally {
    rmSync(root, { recursive: true });
  }
}

test.each<[variables: string, kind: keyof ChangedVariables | "neither"]>([
  ["SCALE LR DATA_DIR SEED TZ LANG KEYS MONKEY TOKENS_MAX MY_HOME", "computed"],
  [
    "WANDB_API_KEY OPENAI_APIKEY HF_TOKEN AWS_SECRET_ACCESS_KEY DB_PASSWORD CLIENT_SECRET",
    "surroundings",
  ],
  ["HOME USER LOGNAME HOSTNAME PATH CUDA_VISIBLE_DEVICES", "surroundings"],
  ["AFTERLOG_DIR TMPDIR PWD TERM NO_COLOR CI", "neither"],
])("%s: %s", (variables, kind) => {
  const names = variables.split(" ").toSorted();
  const found = changed(names.map((name) => `use(process.env.${name});`).join("\n"));
  expect(found).toEqual({ computed: [], surroundings: [], [kind]: names, neither: undefined });
});

test("what the run did not read is unknown, if it is certain that it is read now", () => {
  const root = mkdtempSync(join(tmpdir(), "environment-"));
  const program = "process.env.OLD; process.env.NEW; env.reset(); const { ALSO } = process.env;";
  writeFileSync(join(root, "train.ts"), program);
  expect(unknownVariables({ OLD: "1" }, { root, files: ["train.ts"] })).toEqual(["NEW", "ALSO"]);
  rmSync(root, { recursive: true });
});

test("whichever way it is written", () => {
  const program = 'const { A, B: b } = process.env; env["C"]; process?.env?.D; env?.["E"];';
  expect(changed(program).computed).toEqual(["A", "B", "C", "D", "E"]);
});
