/**
 * @file The program as Node runs it: types taken away, the same random numbers, and nothing else of
 * Afterlog in the process.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { stripTypes } from "../../src/languages/typescript/rewriting/strip-types.ts";
import { ROOT } from "../support/project.ts";

const RANDOM = pathToFileURL(join(ROOT, "build/sdk/random.js")).href;

/** What the program prints. */
export async function printedPlain(
  files: { readonly [file: string]: string },
  entry: string,
  seed: string,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-plain-"));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      const isSource = file.endsWith(".ts");
      const name = file.replace(/\.ts$/, ".js");
      writeFileSync(join(folder, name), isSource ? asJavaScript(text, file) : text);
    }
    const random = `import { SeededRandom } from ${JSON.stringify(RANDOM)};
      Math.random = new SeededRandom("${seed}").random;`;
    writeFileSync(join(folder, "random.js"), random);
    const argv = ["--import", "./random.js", entry.replace(/\.ts$/, ".js")];
    const { stdout } = await promisify(execFile)(process.execPath, argv, {
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1" },
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function asJavaScript(text: string, file: string): string {
  return stripTypes(text, file).replaceAll(/(from "\..*)\.ts"/g, '$1.js"');
}
