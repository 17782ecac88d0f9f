/**
 * Programs as `tsx` runs them, each a small project of real files: recorded, and asked for a value
 * that it did not log. What is computed in `w` comes from the other files, so that a file that is not
 * the one that was meant shows.
 */
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { analyzeProgram } from "../../src/languages/index.ts";
import { afterAll, expect, test } from "vitest";
import { ask } from "../support/ask.ts";
import { removeOriginals, TestProject } from "../support/project.ts";

afterAll(removeOriginals);

/** What imports `lr` goes before it. Three epochs, and the state is in `w`. */
const LOOP = `let w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  w -= lr * w;
  console.log("w", w);
}
`;
const ASKED = LOOP.replace("  console.log", '  console.log("half", w / 2);\n  console.log');

interface Shape {
  readonly files: { readonly [file: string]: string };
  readonly entry?: string;
  /** Links in `node_modules`. */
  readonly links?: { readonly [name: string]: string };
}

const MODULE = '{ "type": "module" }';
const STEP =
  "export interface Opts { lr: number }\nexport type Name = string;\nexport const opts: Opts = { lr: 0.5 };\n";

const SHAPES: { readonly [what: string]: Shape } = {
  "a type imported like a value": {
    files: {
      "t.ts": `import { Opts, opts } from "./types";\n// Opts of the training, and "Opts" in a text.\nconst o: Opts = opts;\nconst lr = o.lr;\n${LOOP}`,
      "types.ts": STEP,
    },
  },
  "an import of types alone loads nothing": {
    files: {
      "t.ts": `import Def, { Opts } from "./gone";\nimport { Name } from "./throws.js";\nconst o: Opts | Def | Name = { lr: 0.5 };\nconst { lr } = o as { lr: number };\n${LOOP}`,
      "gone.d.ts": "export interface Opts { lr: number }\nexport default interface D {}",
      "throws.ts": "throw new Error('loaded');\nexport type Name = string;",
    },
  },
  "types exported again": {
    files: {
      "package.json": MODULE,
      "t.ts": `import { Opts, opts, Name, All } from "./index";\nconst o: Opts & { n?: Name; a?: All } = opts;\nconst { lr } = o;\n${LOOP}`,
      "index.ts":
        'import { Name } from "./types";\nexport { Name };\nexport { Opts, opts } from "./types";\nexport * from "./all";',
      "all.ts": 'export { Name as All } from "./index";',
      "types.ts": STEP,
    },
  },
  "verbatimModuleSyntax keeps what is imported": {
    files: {
      "tsconfig.json": '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
      "t.ts": `import { unused } from "./sets";\nconst lr = (globalThis as any).rate;\n${LOOP}`,
      "sets.ts": "(globalThis as any).rate = 0.5;\nexport const unused = 1;",
    },
  },
  "enums, namespaces and parameter properties": {
    files: {
      "t.ts": `import { Kind, Opts } from "./kinds";\nenum E { A = 2, B = A * 2 }\nconst enum C { X = 1 }\nnamespace N { export const half = 1 / E.A; }\nclass P { constructor(readonly lr: number, private o?: Opts) {} }\nconst { lr } = new P(Kind.Half === "half" ? N.half * C.X : 0);\n${LOOP}`,
      "kinds.ts": 'export enum Kind { Half = "half" }\nexport interface Opts {}',
    },
  },
  "import = require, and export =": {
    files: {
      "t.ts": `import fs = require("node:fs");\nimport given = require("./given");\nimport path from "node:path";\nconst lr: number = fs.existsSync(path.join(__dirname, "given.ts")) ? given.lr : 0;\nconst isMain: boolean = require.main === module;\nif (!isMain) throw new Error("not the program");\n${LOOP}`,
      "given.ts": "const given = { lr: 0.5 as number };\nexport = given;",
    },
  },
  "a .js import that means TypeScript, with an old build beside it": {
    files: {
      "package.json": MODULE,
      "t.ts": `import { lr } from "./rate.js";\n${LOOP}`,
      "rate.ts": "export const lr: number = 0.5;",
      "rate.js": "export const lr = 0.25;",
    },
  },
  "folders, and a folder by its dot": {
    files: {
      "src/t.ts": `import { rate } from ".";\nimport { two } from "./lib";\nimport { one } from "..";\nconst lr = (rate * two) / one;\n${LOOP}`,
      "src/index.ts": "export const rate: number = 0.25;",
      "src/lib/index.ts": 'import { rate } from "..";\nexport const two: number = rate * 8;',
      "index.ts": "export const one: number = 1;",
    },
    entry: "src/t.ts",
  },
  "paths of tsconfig.json, and of what it extends": {
    files: {
      "tsconfig.base.json":
        '{ // both\n "compilerOptions": { "baseUrl": "./src", "paths": { "@lib/*": ["nowhere/*", "lib/*",], "rate": ["./lib/rate.ts"] } } }',
      "tsconfig.json":
        '{ "extends": "./tsconfig.base.json", /* more */ "compilerOptions": { "strict": true } }',
      "app/t.ts": `import { two } from "@lib/two";\nimport { rate, Rate } from "rate";\nimport { four } from "lib/four";\nconst lr: Rate = (rate * two) / four;\n${LOOP}`,
      "src/lib/two.ts": "export const two: number = 2;",
      "src/lib/four/index.ts": "export const four: number = 4;",
      "src/lib/rate.ts": "export type Rate = number;\nexport const rate: Rate = 1;",
    },
    entry: "app/t.ts",
  },
  "JSON, with and without attributes": {
    files: {
      "t.ts": `import cfg from "./cfg.json";\nimport { rate } from "./cfg.json";\nimport again from "./cfg.json" with { type: "json" };\nif (cfg !== again) throw new Error("two of them");\ncfg.deep.rate = rate;\nconst lr = cfg.deep.rate;\n${LOOP}`,
      "cfg.json": '{ "rate": 0.5, "deep": { "rate": 1 }, "default": 3, "a-b": 4 }',
    },
  },
  "packages of a workspace in TypeScript": {
    files: {
      "afterlog.toml": "",
      "package.json": '{ "private": true, "workspaces": ["packages/*"] }',
      "packages/train/package.json": '{ "name": "train" }',
      "packages/train/t.ts": `import { rate, Opts } from "@own/rates";\nimport { two } from "@own/rates/two";\nconst o: Opts = { lr: rate * two };\nconst { lr } = o;\n${LOOP}`,
      "packages/rates/package.json": '{ "name": "@own/rates", "main": "./src/index.ts" }',
      "packages/rates/src/index.ts":
        "export interface Opts { lr: number }\nexport const rate: number = 0.25;",
      "packages/rates/two.ts": "export const two: number = 2;",
    },
    links: { "@own/rates": "packages/rates" },
    entry: "packages/train/t.ts",
  },
  "CommonJS and modules that use one another": {
    files: {
      "t.ts": `const { rate }: { rate: number } = require("./esm");\nconst { two } = require("./two.cjs") as { two: number };\nconst lr = rate * two * (require("./cfg").one as number);\n${LOOP}`,
      "esm.ts":
        'import { join } from "node:path";\nexport const rate: number = join("a", "b") === "a/b" ? 0.25 : 0;',
      "two.cts": "exports.two = 2 as number;",
      "cfg.json": '{ "one": 1 }',
    },
  },
  "modules that import CommonJS in TypeScript": {
    files: {
      "t.ts": `import { quarter } from "./cjs";\nimport three, { two } from "./three.cts";\nconst lr: number = (quarter * two * three.three) / 3;\n${LOOP}`,
      "cjs.ts": "const quarter: number = 0.25;\nmodule.exports = { quarter };",
      "three.cts":
        'const here: string = __dirname;\nexports.three = here === "" ? 0 : 3;\nexports.two = 2 as number;',
    },
  },
  "every extension, and waiting at top level": {
    files: {
      "t.mts": `import { a } from "./a.mjs";\nimport { b } from "./b.js";\nconst { c } = await import("./c.cjs");\nconst lr = await Promise.resolve(a * b * c);\n${LOOP}`,
      "a.mts": "export const a: number = 2;",
      "b.tsx": "export const b = 0.5 as number;",
      "c.cts": "exports.c = 0.5 as number;",
    },
    entry: "t.mts",
  },
};

test.each(Object.entries(SHAPES))("%s", async (_, { files, links = {}, entry = "t.ts" }) => {
  using project = new TestProject(files);
  for (const [name, folder] of Object.entries(links)) {
    const link = join(project.folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(project.folder, folder), link);
  }
  const { code, stderr } = await project.afterlog("run", "--overhead", "inf", entry);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const expected = [1, 2, 3].map((times) => 0.5 ** times);
  expect(project.logged("w")).toEqual(expected);
  const read = (file: string): string | undefined => files[file];
  const { files: followed, uncertain } = analyzeProgram(entry, read, { handsFree: true });
  const loaded = Object.keys(project.manifest.sources).filter((file) => !file.endsWith(".json"));
  expect([followed.toSorted(), uncertain]).toEqual([loaded.toSorted(), []]);
  project.write(entry, (files[entry] ?? "").replace(LOOP, ASKED));
  const { cells, stderr: said, plan } = await ask(project, ["half"], { where: "epoch = 1" });
  expect(
    cells.map(({ value, check }) => [Number(value), check]),
    said,
  ).toEqual([[0.125, "verified"]]);
  expect(plan?.runs[0]?.share).toBeLessThan(1);
});

test.each([
  [
    "a decorator",
    { "t.ts": "function d(..._: unknown[]): void {}\nclass A {\n  @d m(): void {}\n}\nnew A();\n" },
    "t.ts:3:3: a decorator",
    "help: decorators are not supported",
  ],
  [
    "a module that imports TypeScript, required",
    {
      "t.ts": 'require("./a");',
      "a.ts": 'export { b } from "./b";',
      "b.ts": "export const b = 1;",
    },
    "a.ts: a module that imports TypeScript is required",
    "help: write `import`",
  ],
])("%s is refused with a cause and a way out", async (_, files, cause, help) => {
  using project = new TestProject(files);
  const { code, stderr } = await project.afterlog("run", "t.ts");
  expect([code, stderr]).toEqual([1, expect.stringContaining(cause)]);
  expect(stderr).toContain(help);
});
