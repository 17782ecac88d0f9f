/** @file Words completed in real shells, by the script that they are given. */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCatalog } from "../../src/catalog/index.ts";
import type { CatalogProject } from "../support/catalog.ts";
import { makeProject } from "../support/catalog.ts";
import { makeRun, trainingRun } from "../support/make-runs.ts";
import { needs } from "../support/needs.ts";

const MAIN = new URL("../../dist/cli/main.js", import.meta.url).pathname;

let project: CatalogProject;
beforeAll(async () => {
  project = makeProject();
  for (const run of ["train-0001", "train-0002"]) {
    makeRun(project.store, trainingRun(run, { epochs: 1, steps: 1, lr: 0.1 }));
  }
  makeRun(project.store, { run: "odd-0003", body: (log) => log.log("my score", 1) });
  (await openCatalog(project.store)).close();
});
afterAll(() => project[Symbol.dispose]());

/** Words up to the key, and what is there after it. */
const WORDS: readonly (readonly [words: readonly string[], completed: readonly string[]])[] = [
  [["aff"], ["affected"]],
  [
    ["show", "train"],
    ["train-0001", "train-0002"],
  ],
  [["ls", "--so"], ["--sort-by"]],
  [["frame", "acc"], ["accuracy"]],
];

function shell(command: string, argv: readonly string[]): string {
  const env = { ...process.env, NODE: process.execPath, MAIN };
  const { stdout } = spawnSync(command, argv, { cwd: project.root, env, encoding: "utf8" });
  return stdout;
}

test("bash", () => {
  const tries = WORDS.map(([words]) => `try afterlog ${words.join(" ")}`).join("\n");
  const script = `afterlog() { "$NODE" "$MAIN" "$@"; }
    source <(afterlog completion bash)
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _afterlog; echo "\${COMPREPLY[*]}"; }
    ${tries}
    try afterlog frame my
    complete -p afterlog`;
  const lines = shell("bash", ["--norc", "-c", script]).trimEnd().split("\n");
  const found = lines.map((line) => line.split(" ").toSorted().join(" "));
  expect(found.slice(0, WORDS.length)).toEqual(WORDS.map(([, completed]) => completed.join(" ")));
  // A name that the shell would take apart comes with what keeps it together.
  expect(lines.slice(-2)).toEqual([
    "my\\ score",
    expect.stringMatching(/-o default.* -F _afterlog afterlog$/),
  ]);
});

test("fish", needs("fish"), () => {
  const tries = WORDS.map(([words]) => `complete -C "afterlog ${words.join(" ")}"; echo .`);
  const script = `function afterlog; $NODE $MAIN $argv; end
    afterlog completion fish | source
    ${tries.join("\n")}`;
  const answers = shell("fish", ["--no-config", "-c", script]).split(".\n").slice(0, WORDS.length);
  const found = answers.map((text) => text.trimEnd().split("\n").toSorted());
  expect(found).toEqual(WORDS.map(([, completed]) => completed));
});

test("zsh, at its prompt", needs("zsh"), () => {
  const script = `zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'afterlog() { "$NODE" "$MAIN" "$@" }; autoload -U compinit; compinit -D'
    zpty -w shell 'source <(afterlog completion zsh); echo REA""DY'
    zpty -r shell text '*READY*'
    zpty -w -n shell $'echo "[" afterlog; afterlog frame acc\\t'
    zpty -r shell text '*accuracy*' && echo completed`;
  expect(shell("zsh", ["-f", "-c", script])).toBe("completed\n");
});
