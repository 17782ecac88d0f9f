/** `afterlog where --files`: two files and nothing else. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whereFilesCommand } from "../../../src/cli/history/where-files.ts";
import type { Printed } from "../../support/command.ts";
import { call } from "../../support/command.ts";

const NEW = `import * as al from "afterlog";

// One epoch after the other.
for (const epoch of al.loop("epoch", al.range(10))) {
  const loss = fit(model, epoch);
  al.log(
    "loss",
    loss,
  );
  if (epoch % 2 === 0) {
    console.log(epoch, loss);
  }
  al.log("accuracy", accuracy);
  save(model);
}
`;
const OLD = `import * as al from "afterlog";

for (const epoch of al.loop("epoch", al.range(10))) {
  const cost = fit(model, epoch);
  save(model);
}
`;

describe("where --files", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "afterlog-where-"));
    writeFileSync(join(folder, "new.ts"), NEW);
    writeFileSync(join(folder, "old.ts"), OLD);
    writeFileSync(join(folder, "broken.ts"), "for (;;) {");
    writeFileSync(join(folder, "latin.ts"), Buffer.from(`${OLD}// für`, "latin1"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const where = (words: readonly string[], json = true): Promise<Printed> => {
    return call(folder, { json }, (context) => whereFilesCommand(context, words));
  };

  test("answers the landing and the changed file as JSON", async () => {
    const { code, out } = await where(["new.ts:6", "old.ts"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      verdict: "moved",
      line: 5,
      text: `al.log(\n    "loss",\n    cost,\n  );`,
      warnings: [{ code: "renamed" }],
      carried: [],
      renames: [{ from: "loss", to: "cost" }],
      result: OLD.replace("  save", `  al.log(\n    "loss",\n    cost,\n  );\n  save`),
    });
  });

  test("takes a line in the middle of a statement for the statement", async () => {
    const [first, middle] = await Promise.all([
      where(["new.ts:6", "old.ts"]),
      where(["new.ts:8", "old.ts"]),
    ]);
    expect(middle.out).toBe(first.out);
  });

  test("brings the condition with a statement that stands alone under it", async () => {
    const { out } = await where(["new.ts:11", "old.ts"]);
    expect(JSON.parse(out)).toMatchObject({
      verdict: "moved",
      result: OLD.replace(
        "  save",
        "  if (epoch % 2 === 0) {\n    console.log(epoch, cost);\n  }\n  save",
      ),
    });
  });

  test("changes nothing where the statement is present", async () => {
    const { out } = await where(["old.ts:5", "old.ts"]);
    expect(JSON.parse(out)).toMatchObject({ verdict: "present", line: 5, result: OLD });
  });

  test("says what is missing, with no result", async () => {
    writeFileSync(join(folder, "with.ts"), NEW.replace("  save", "  const accuracy = 1;\n  save"));
    const { out } = await where(["new.ts:13", "old.ts"]);
    // Nothing declares it on either side: it is a global of both.
    expect(JSON.parse(out)).toMatchObject({ verdict: "moved" });
    writeFileSync(
      join(folder, "with.ts"),
      NEW.replace("  const loss", "  const { accuracy } = train(model);\n  const loss"),
    );
    const missing = await where(["with.ts:14", "old.ts"]);
    expect(JSON.parse(missing.out)).toMatchObject({ verdict: "cannot", line: null, result: null });
    expect(missing.out).toContain("accuracy");
  });

  test("shows a person the lines around it", async () => {
    const { out } = await where(["new.ts:11", "old.ts"], false);
    expect(out).toMatchInlineSnapshot(`
      "old.ts   moved, confidence 0.92
        3 │ for (const epoch of al.loop("epoch", al.range(10))) {
        4 │   const cost = fit(model, epoch);
      + 5 │   if (epoch % 2 === 0) {
      + 6 │     console.log(epoch, cost);
      + 7 │   }
        8 │   save(model);
        9 │ }
        after \`const cost = fit(model, epoch);\`, before \`save(model);\`; which were edited since; loss
        renamed cost (1 of 1 uses matched)
        renamed: loss → cost
      "
    `);
  });

  test.each([
    [["new.ts:3", "old.ts"], "AL023", "new.ts:4"],
    [["new.ts:99", "old.ts"], "AL023", "new.ts:14"],
    [["new.ts", "old.ts"], "AL001", "--files NEW:61 OLD"],
    [["new.ts:6"], "AL001", "--files NEW:61 OLD"],
    [["none.ts:6", "old.ts"], "AL002", "none.ts"],
    [["broken.ts:1", "old.ts"], "AL002", "repair broken.ts:1"],
    [["new.ts:6", "latin.ts"], "AL002", "latin.ts is not text in UTF-8"],
  ])("%j is an error that tells the way out", async (words, code, help) => {
    const { code: exit, err } = await where(words, false);
    expect(exit).toBeGreaterThan(0);
    expect(err).toContain(code);
    expect(err).toContain(help);
  });
});
