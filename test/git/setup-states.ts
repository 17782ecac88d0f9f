/** @file Kinds of index, configuration, filters and files that git finds hard, as rows. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, rmSync, truncateSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { RepositoryState } from "./working-states.ts";

/** How git itself was set up. */
export const SETUP_STATES: readonly RepositoryState[] = [
  {
    name: "split index",
    arrange: (s) => {
      s.commitBasics();
      s.git("config", "core.splitIndex", "true");
      s.git("update-index", "--split-index");
      s.write("more.ts", "1\n");
      s.git("add", "more.ts");
      s.write("train.ts", "changed\n");
    },
  },
  {
    name: "index version 4, with extended flags",
    arrange: (s) => {
      s.commitBasics();
      s.write("lib/model2.ts", "2\n");
      s.git("add", "--intent-to-add", "lib/model2.ts");
      s.git("update-index", "--index-version", "4");
      s.write("train.ts", "changed\n");
    },
    check: (version) => expect(version.dirty).toBe(2),
  },
  {
    name: "intent to add, and the file gone",
    arrange: (s) => {
      s.commitBasics();
      s.write("one.ts", "1\n");
      s.write("two.ts", "2\n");
      s.git("add", "--intent-to-add", "one.ts", "two.ts");
      rmSync(join(s.repo, "two.ts"));
    },
  },
  {
    name: "assume-unchanged and skip-worktree files that changed all the same",
    arrange: (s) => {
      s.commitBasics();
      s.git("update-index", "--assume-unchanged", "train.ts");
      s.git("update-index", "--skip-worktree", "lib/model.ts");
      s.write("train.ts", "changed\n");
      s.write("lib/model.ts", "changed too\n");
    },
    check: (version) => expect(version.dirty).toBe(2),
  },
  {
    name: "assume-unchanged file that was deleted",
    arrange: (s) => {
      s.commitBasics();
      s.git("update-index", "--assume-unchanged", "train.ts");
      rmSync(join(s.repo, "train.ts"));
    },
    check: (version) => expect(version.dirty).toBe(1),
  },
  {
    name: "sparse checkout with a sparse index",
    arrange: (s) => {
      s.commitBasics();
      s.write("far/away.ts", "1\n");
      s.git("add", "-A");
      s.git("commit", "-qm", "far");
      s.git("sparse-checkout", "set", "--cone", "--sparse-index", "lib");
      s.write("lib/model.ts", "changed\n");
    },
    except: ["far/away.ts"],
    check: (version, s, tree) => {
      expect(tree.get("far/away.ts")).toMatch(/^100644/);
      expect(version.dirty).toBe(1);
      expect(existsSync(join(s.repo, "far"))).toBe(false);
    },
  },
  {
    name: "core.autocrlf and core.safecrlf",
    arrange: (s) => {
      s.commitBasics();
      s.git("config", "core.autocrlf", "true");
      s.git("config", "core.safecrlf", "true");
      s.write("mixed.ts", "one\r\ntwo\nthree\r\n");
    },
    except: ["mixed.ts"],
    check: (version, s) => {
      expect(s.git("cat-file", "blob", `${version.commit}:mixed.ts`)).toBe("one\ntwo\nthree\n");
    },
  },
  {
    name: "a required filter that is not installed",
    arrange: (s) => {
      s.commitBasics();
      s.write(".gitattributes", "*.weights filter=lfs\n");
      s.write("old.weights", "old\n");
      s.git("add", "-A");
      s.git("commit", "-qm", "weights");
      s.git("config", "filter.lfs.clean", "no-such-program clean %f");
      s.git("config", "filter.lfs.process", "no-such-program process");
      s.git("config", "filter.lfs.required", "true");
      s.write("new.weights", "new\n");
      s.write("train.ts", "changed\n");
    },
    warnings: [/git filter lfs failed/],
  },
  {
    name: "a required filter that fails when status reads a tracked file",
    arrange: (s) => {
      s.commitBasics();
      s.write(".gitattributes", "*.weights filter=lfs\n");
      s.write("old.weights", "old\n");
      s.git("add", "-A");
      s.git("commit", "-qm", "weights");
      s.git("config", "filter.lfs.clean", "false");
      s.git("config", "filter.lfs.required", "true");
      utimesSync(s.write("old.weights", "new\n"), 1, 1);
    },
    warnings: [/git filter lfs failed/],
  },
  {
    name: "a filter that works",
    arrange: (s) => {
      s.commitBasics();
      s.git("config", "filter.upper.clean", "tr a-z A-Z");
      s.write(".gitattributes", "*.up filter=upper\n");
      s.write("x.up", "shout\n");
    },
    except: ["x.up"],
    check: (version, s) => {
      expect(s.git("cat-file", "blob", `${version.commit}:x.up`)).toBe("SHOUT\n");
    },
  },
  {
    name: "an encoding that git cannot convert",
    arrange: (s) => {
      s.commitBasics();
      s.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16\n");
      s.write("bad.u16", "no byte order mark");
      s.write("train.ts", "changed\n");
    },
    warnings: [/bad\.u16 cannot be read/],
    except: ["bad.u16"],
  },
  {
    name: "large untracked file",
    arrange: (s) => {
      s.commitBasics();
      truncateSync(s.write("big file.bin", ""), 10_000_001);
      truncateSync(s.write("not quite.bin", ""), 10_000_000);
    },
    warnings: [/big file\.bin \(10 MB\) is untracked and large/],
    except: ["big file.bin"],
    check: (version) => {
      expect(version.dirty).toBe(2);
      expect(version.large).toEqual([
        { file: "big file.bin", bytes: 10_000_001, sha256: zerosHash(10_000_001) },
      ]);
    },
  },
  {
    name: "large tracked file, modified",
    arrange: (s) => {
      s.commitBasics();
      s.write("big.bin", "small at first");
      s.git("add", "-A");
      s.git("commit", "-qm", "big");
      truncateSync(join(s.repo, "big.bin"), 11_000_000);
    },
  },
  {
    name: "a tracked file that became a pipe",
    arrange: (s) => {
      s.commitBasics();
      rmSync(join(s.repo, "train.ts"));
      execFileSync("sh", ["-c", "mkfifo train.ts"], { cwd: s.repo });
      s.write("lib/model.ts", "changed\n");
    },
    warnings: [/train\.ts cannot be read/],
    except: ["train.ts"],
  },
  {
    name: "hooks, signing, reflogs of every ref, fsmonitor and an odd commit encoding",
    arrange: (s) => {
      s.commitBasics();
      const hook = `#!/bin/sh\ntouch ${s.repo}/hook-ran\n`;
      const names = ["reference-transaction", "post-index-change", "pre-commit", "post-commit"];
      for (const name of names) chmodSync(s.write(`.git/hooks/${name}`, hook), 0o755);
      const monitor = s.write("../monitor", `#!/bin/sh\ntouch ${s.repo}/monitor-ran\n`);
      chmodSync(monitor, 0o755);
      s.git("config", "commit.gpgSign", "true");
      s.git("config", "user.useConfigOnly", "true");
      s.git("config", "core.logAllRefUpdates", "always");
      s.git("config", "i18n.commitEncoding", "latin1");
      s.git("config", "core.fsmonitor", monitor);
      s.git("config", "status.showUntrackedFiles", "no");
      s.git("config", "status.showStash", "true");
      s.write("new.ts", "1\n");
    },
    check: (_version, s) => {
      expect(readdirSync(s.repo).filter((name) => name.endsWith("-ran"))).toEqual([]);
    },
  },
];

function zerosHash(bytes: number): string {
  return createHash("sha256").update(Buffer.alloc(bytes)).digest("hex");
}
