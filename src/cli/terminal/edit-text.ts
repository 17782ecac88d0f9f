/** @file A piece of text in the user's editor. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AfterlogError } from "../../format/index.ts";
import type { CliContext } from "../context.ts";

/** What the user made of a text. Throws AL001 if there is no editor, or nothing is left. */
export function editText(context: CliContext, text: string): string {
  const editor = context.env["VISUAL"] ?? context.env["EDITOR"];
  if (editor === undefined || editor === "") {
    throw new AfterlogError("AL001", "no editor is set", {
      help: ["give the text:  --edit 'al.log(\"f1\", score(model))'", "or set EDITOR"],
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "afterlog-edit-"));
  try {
    const file = join(folder, "statement.ts");
    writeFileSync(file, `${text}\n`);
    // Through a shell: the setting may hold options.
    const { status } = spawnSync(`${editor} "$0"`, [file], {
      shell: "/bin/sh",
      stdio: "inherit",
      env: context.env,
    });
    const edited = readFileSync(file, "utf8").trim();
    if (status === 0 && edited !== "") return edited;
    throw new AfterlogError("AL001", "nothing was decided: the editor gave no text", {
      help: ["give the text:  --edit 'al.log(\"f1\", score(model))'"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
