/** Sources of the project that imports lead to by ways that the analysis does not follow. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { ask, edit } from "../support/ask.ts";

const CORE = `let calls = 0;
export const gain = (x) => x + ++calls;
export const count = () => calls;
`;

function train(specifier: string, more: string): string {
  return `import * as al from "afterlog";
import { count, gain } from "${specifier}";
let w = 0;
for (const epoch of al.loop("epoch", al.range(3))) {
  w += gain(epoch);
  al.log("w", w);
}
${more}al.log("end", w);
`;
}

test.each([
  ["an import that package.json explains", "#core"],
  ["a package that is a folder of the project", "core"],
])(
  "%s",
  async (_, specifier) => {
    using project = new TestProject({
      "package.json": JSON.stringify({ imports: { "#core": "./packages/core/index.mjs" } }),
      "packages/core/package.json": JSON.stringify({ name: "core", exports: "./index.mjs" }),
      "packages/core/index.mjs": CORE,
      "train.mjs": train(specifier, ""),
    });
    symlinkSync("../packages/core", join(project.folder, "node_modules/core"));
    expect(await project.afterlog("run", "train.mjs")).toMatchObject({ code: 0 });
    edit(project, { "train.mjs": train(specifier, 'al.log("count", count());\n') });
    const { plan, cells } = await ask(project, ["count"]);
    expect(cells.map(({ value }) => Number(value))).toEqual([3]);
    // Whatever is said first, the run is executed, and the user reads why.
    expect(plan?.runs[0]).toMatchObject({ share: 1 });
    expect(plan?.runs[0]?.notes).not.toEqual([]);
  },
  60_000,
);
