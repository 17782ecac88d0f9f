import * as jax from "@jax-js/jax";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { moduleResolver } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "afterlog-modules-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("gives the instance that the program imported", () => {
  const [first] = moduleResolver(import.meta.filename)("@jax-js/jax") as Iterable<typeof jax>;
  expect(first?.Array === jax.Array).toBe(true);
});

test("looks above the program first, and passes over what cannot be loaded", () => {
  const home = join(folder, "node_modules", "@jax-js", "jax");
  mkdirSync(join(folder, "src"));
  mkdirSync(home, { recursive: true });
  const entry = { ".": { import: "./broken.js", require: { default: "./own.cjs" } } };
  writeFileSync(join(home, "package.json"), JSON.stringify({ exports: entry, type: "module" }));
  writeFileSync(join(home, "broken.js"), "this is no program");
  writeFileSync(join(home, "own.cjs"), "module.exports = { own: true };");
  const [first, second] = moduleResolver(join(folder, "src", "train.js"))("@jax-js/jax");
  expect(first).toStrictEqual({ own: true });
  expect(second).toHaveProperty("numpy");
});

test("gives nothing for a package that is not there", () => {
  expect([...moduleResolver(import.meta.filename)("no-such-package")]).toStrictEqual([]);
});
