/** @file The written pages say what the tables of the code say. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { PAGES } from "./index.ts";
import { manPage } from "./man-page.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

test.each(PAGES.map((page) => [page.file, page] as const))("%s", (file, { text }) => {
  expect(readFileSync(join(ROOT, file), "utf8"), `${file} is stale: npm run docs`).toBe(text());
});

test("the man page has only requests that it means, and no sign outside ASCII", () => {
  const requests = manPage().match(/^[.'].*$/gm) ?? [];
  const known = /^\.(?:\\"|TH |SH |SS |PP$|TP$|B |I )/;
  expect(requests.filter((line) => !known.test(line))).toEqual([]);
  expect(manPage()).toMatch(/^[\n -~]*$/);
});

test("the man page is put in place by an installation: npm takes a list, and passes over a text", () => {
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { man: unknown };
  expect(own.man).toEqual(PAGES.map(({ file }) => file).filter((file) => file.endsWith(".1")));
});
