/** Sources of the project that imports lead to by ways that the analysis follows, or does not. */
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
  ["an import that package.json explains", "#core", 0],
  ["a package that is a folder of the project", "core", 1],
])(
  "%s",
  async (_, specifier, share) => {
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
    expect(plan?.runs[0]).toMatchObject({ share });
    // Where the run is executed, whatever is said first, the user reads why.
    expect(plan?.runs[0]?.notes.length === 0).toBe(share === 0);
  },
  60_000,
);
