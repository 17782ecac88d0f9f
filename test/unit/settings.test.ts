/** What a command says of settings: all of them, and what was most likely meant by a wrong one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { afterAll, describe, expect, test } from "vitest";
import { settingsError } from "../../src/app/read.ts";
import { configCommand } from "../../src/cli/reading/config.ts";
import { readSettingsText, resolveSettings, SETTINGS } from "../../src/format/index.ts";
import type { Printed } from "../support/command.ts";
import { call } from "../support/command.ts";

const ROOT = mkdtempSync(join(tmpdir(), "afterlog-settings-"));
// Makes it the project, whatever lies above.
mkdirSync(join(ROOT, ".afterlog"));
afterAll(() => rmSync(ROOT, { recursive: true, force: true }));

function write(folder: string, text: string): void {
  mkdirSync(join(ROOT, folder), { recursive: true });
  writeFileSync(join(ROOT, folder, "afterlog.toml"), text);
}

/** `afterlog config` in a folder of a project. */
function config(folder: string, options = {}): Promise<Printed> {
  return call(join(ROOT, folder), options, configCommand);
}

describe("the nearest right one is named", () => {
  test.each<[string, NodeJS.ProcessEnv, string, string]>([
    ["[recrod]\nkeep = 'all'", {}, "f.toml:1: [recrod] holds no settings", "[record]"],
    ["[record]\nworker = 3", {}, "f.toml:2: record.worker is not", "workers = …  in [replay]"],
    ["[replay]\ncanary = 'fals'", {}, "canary = fals is neither true", "canary = false"],
    ["[record]\nkeep = 'evry:5'", {}, "record.keep = evry:5 is none of", 'keep = "every:5"'],
    ["[record]\ngrace = '20s'", {}, "grace = 20s is not a whole number", "grace = 20"],
    ["[replay]\nmax_time = '10 minutes'", {}, "10 minutes is not a time", 'max_time = "10m"'],
    ["", { AFTERLOG_OVERHEAD: "7" }, "AFTERLOG_OVERHEAD=7 is not a share", "AFTERLOG_OVERHEAD=7%"],
    ["", { AFTERLOG_PERSIST: "Inlin" }, "PERSIST=Inlin is none of", "AFTERLOG_PERSIST=inline"],
    ["", { AFTERLOG_KEEP: "20G" }, "AFTERLOG_KEEP=20G is none of", "AFTERLOG_KEEP=20GB"],
  ])("%j %j", (text, env, message, meant) => {
    const file = readSettingsText("f.toml", text, (value) => parse(`value = ${value}`)["value"]);
    const refused = settingsError(resolveSettings({ env, file }).problems);
    expect(refused?.message).toContain(message);
    expect(refused?.help[0]).toBe(`did you mean  ${meant}`);
  });
});

test("config shows each setting and its origin", async () => {
  write(".", '[record]\nkeep = "every:2"\n[replay]\nworkers = 3\n');
  const told = await config(".", { json: true, env: { AFTERLOG_CANARY: "no" } });
  const rows = JSON.parse(told.out) as { key: string; value: unknown; origin: string }[];
  expect(rows.map(({ key }) => key)).toEqual(SETTINGS.map(({ key }) => key));
  expect(rows.filter(({ origin }) => origin !== "default")).toMatchObject([
    { key: "record.keep", value: "every:2", origin: "file", at: "afterlog.toml:2" },
    { key: "replay.workers", value: 3, origin: "file", at: "afterlog.toml:4" },
    { key: "replay.canary", value: false, origin: "environment", at: "AFTERLOG_CANARY" },
  ]);
  expect([told.code, told.err]).toEqual([0, ""]);
});

test("config shows what is right beside what is wrong", async () => {
  write(".", '[record]\nkeep = "every:2"\ngrace = "soon"\n');
  const wrong = await config(".");
  expect(wrong.code).toBe(2);
  expect(wrong.out).toMatch(/^record\.keep +every:2 +afterlog\.toml:2 *$/m);
  expect(wrong.err).toContain("afterlog.toml:3: record.grace = soon is not a whole number");
  write(".", "[record]\nkeep = all\n");
  expect((await config(".")).err).toContain(
    'error[AL008]: afterlog.toml:2: keep: a text stands in quotes: keep = "all"',
  );
});

test("a folder below the project has its settings; a file there does not count", async () => {
  write(".", "[record]\nkep = 'all'\n");
  write("deep/er", "[record]\nkeep = 'all'\n");
  const { code, err } = await config("deep/er");
  expect(code).toBe(2);
  expect(err).toContain("the project's file is ../../afterlog.toml; afterlog.toml does not count");
  expect(err).toContain("error[AL008]: ../../afterlog.toml:2: record.kep is not a setting");
});
