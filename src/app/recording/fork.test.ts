import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changedData } from "./fork.ts";

test("files that hold something else than when the run read them, and are no sources", () => {
  const root = mkdtempSync(join(tmpdir(), "afterlog-fork-"));
  try {
    for (const file of ["same", "other", "longer", "train.ts", "part.ts"]) {
      writeFileSync(join(root, file), file === "same" ? "abc" : file === "longer" ? "abcd" : "xyz");
    }
    const hash = `sha256:${createHash("sha256").update("abc").digest("hex")}`;
    const files = ["same", "other", "longer", "gone", "train.ts", "part.ts"];
    const read = [
      ...files.map((file) => ({ file, hash, bytes: 3 })),
      { file: join(root, "other"), hash, bytes: 3 },
    ];
    const manifest = { program: "train.ts", sources: { "part.ts": hash } };
    expect(changedData({ root }, manifest, read)).toEqual(["other", "longer", join(root, "other")]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
