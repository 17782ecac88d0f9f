/**
 * The rules that no other tool checks: data flows one way between the folders of `src/`, each is
 * entered through its door, files stay small, and the package's door is what it was.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../src/format/index.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** Each folder may import those listed; the order is that of ARCHITECTURE.md. */
const MAY_IMPORT: Readonly<{ [folder: string]: readonly string[] }> = {
  host: [],
  format: [],
  store: ["host", "format"],
  materialize: ["format", "store"],
  adapters: ["format"],
  loader: ["format"],
  sdk: ["host", "format", "store", "materialize", "adapters", "loader"],
  catalog: ["format", "store"],
  tree: ["format"],
  languages: ["host", "format", "tree"],
  landing: ["format", "tree", "languages"],
  planner: ["format", "languages"],
  replayer: ["host", "format", "store", "catalog", "languages", "landing", "planner"],
  app: ["host", "format", "store", "catalog", "languages", "landing", "planner", "replayer"],
  server: ["host", "format", "store", "catalog", "app"],
  cli: ["host", "format", "store", "catalog", "languages", "planner", "replayer", "app", "server"],
};
/**
 * Who reads the process and the wall clock besides `host`: the command line and the SDK, and what
 * runs in a thread of the SDK's.
 */
const READS_PROCESS = /^src\/(?:host|cli|sdk)\/|^src\/materialize\/(?:worker|faults)\.ts$/;
/** Besides `index.ts`: they load less, so that a recording starts and a question is answered sooner. */
const OTHER_DOORS = ["src/app/quick.ts", "src/app/read.ts", "src/app/record.ts"];
/** What a training program loads must not load these. */
const HEAVY = ["@duckdb/node-api", "@swc/wasm-typescript", "commander"];
const LIGHT_FOLDERS = ["host", "format", "store", "materialize", "adapters", "loader", "sdk"];

const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(ROOT, file)));
const sources = tracked.filter((file) => /^src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts"));

interface Import {
  readonly from: string;
  readonly to: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|(?:import|require)\("([^"]+)"\)/g;
  return [...text.matchAll(pattern)].map(([, statically, dynamically]) => {
    const specifier = statically ?? dynamically ?? "";
    const to = specifier.startsWith(".")
      ? relative(ROOT, resolve(ROOT, dirname(file), specifier))
      : specifier;
    return { from: file, to };
  });
}

const imports = sources.flatMap(importsOf);
const folderOf = (file: string): string => file.split("/")[1] ?? "";

describe("architecture", () => {
  test("there is something to check", () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(Object.keys(MAY_IMPORT)).toEqual(expect.arrayContaining(sources.map(folderOf)));
  });

  test("folders import only those above them, and only through their door", () => {
    const wrong = imports.filter(({ from, to }) => {
      if (!to.startsWith("src/") || folderOf(from) === folderOf(to)) return false;
      const allowed = MAY_IMPORT[folderOf(from)]?.includes(folderOf(to)) ?? false;
      const isDoor = to === `src/${folderOf(to)}/index.ts` || OTHER_DOORS.includes(to);
      return !allowed || !isDoor;
    });
    expect(wrong).toEqual([]);
  });

  test("the command line asks app: of what is below it knows types only", () => {
    const below =
      /^import (?!type )[^;]*?from "(?:\.\.\/)+(?:store|catalog|languages|landing|planner|replayer)\//m;
    const wrong = sources.filter((file) => {
      return folderOf(file) === "cli" && below.test(readFileSync(join(ROOT, file), "utf8"));
    });
    expect(wrong).toEqual([]);
  });

  test("a training program loads no database, parser or command line", () => {
    const foreign = imports.filter(({ from, to }) => {
      return (
        LIGHT_FOLDERS.includes(folderOf(from)) && !to.startsWith("src/") && !to.startsWith("node:")
      );
    });
    // Its reader of TOML, which test/settings sees loaded only where there is something to read.
    expect([...new Set(foreign.map(({ from, to }) => `${from} ${to}`))]).toEqual([
      "src/store/settings-file.ts smol-toml",
    ]);
    const text = readFileSync(join(ROOT, "src/store/settings-file.ts"), "utf8");
    expect(text).not.toMatch(/^import (?!type).*smol-toml/m);
    expect(imports.some(({ to }) => HEAVY.includes(to))).toBe(true);
  });

  test("process, environment and wall clock enter at one place", () => {
    // The global name is forbidden by lint; an import of it is seen here.
    const reads = /from "(?:node:)?process"|new Date\(\)|Date\.now\(\)/;
    const wrong = sources.filter((file) => {
      if (READS_PROCESS.test(file)) return false;
      const code = readFileSync(join(ROOT, file), "utf8").replaceAll(
        /\/\*[\s\S]*?\*\/|\/\/.*$|"[^"\n]*\(\)"/gm,
        "",
      );
      return reads.test(code);
    });
    expect(wrong).toEqual([]);
  });

  test("a training program's buffers are never transferred (decision 0001)", () => {
    const wrong = sources.filter((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return LIGHT_FOLDERS.includes(folderOf(file)) && /postMessage\([^()]*,/.test(text);
    });
    expect(wrong).toEqual([]);
  });

  test("no file has more than 500 lines, none says that it is unfinished", () => {
    const code = tracked.filter((file) => /\.(?:ts|js|mjs|py|sh)$/.test(file));
    const mark = new RegExp(["FIX", "ME|TO", "DO|X", "XX"].join(""));
    const wrong = code.filter((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return text.split("\n").length > 501 || mark.test(text);
    });
    expect(wrong).toEqual([]);
  });

  test("each Markdown file has one title", () => {
    const wrong = tracked.filter((file) => {
      if (!file.endsWith(".md")) return false;
      const prose = readFileSync(join(ROOT, file), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
      return (prose.match(/^# /gm) ?? []).length !== 1;
    });
    expect(wrong).toEqual([]);
  });

  test("the door of the package is what programs rely on", async () => {
    const names = [
      ...readFileSync(join(ROOT, "src/sdk/index.ts"), "utf8").matchAll(
        /^export (?:async )?function (\w+)|^export \{ ([^}]+) \}/gm,
      ),
    ].flatMap(([, one, many]) => (one ? [one] : (many ?? "").split(", ")));
    // One with several signatures is written once for each.
    expect([...new Set(names)].toSorted()).toEqual([
      "AfterlogError",
      "arg",
      "aside",
      "checkpointing",
      "dataset",
      "fit",
      "fitCallback",
      "frame",
      "log",
      "loop",
      "range",
      "restore",
    ]);
  });

  test("every error code is used, and documented in docs/errors.md", () => {
    const text = sources.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
    const docs = readFileSync(join(ROOT, "docs/errors.md"), "utf8");
    for (const [code, meaning] of Object.entries(ERROR_CODES)) {
      expect(text.includes(`"${code}"`), `${code} is never raised`).toBe(true);
      expect(docs.replaceAll(/ +/g, " "), code).toContain(`| ${code} | ${meaning} |`);
    }
  });

  test("the code map has a short block for each room, in order, whose names exist", () => {
    const map = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
    const blocks = [...map.matchAll(/^### `(\w+)\/`\n\n([^#]+)/gm)];
    expect(blocks.map(([, room]) => room)).toEqual(Object.keys(MAY_IMPORT));
    for (const [, room = "", block = ""] of blocks) {
      const lines = block.trim().split("\n");
      expect(lines.length, room).toBeLessThanOrEqual(8);
      const own = sources.filter((file) => folderOf(file) === room);
      const text = own.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
      const [entry = ""] = /- \*\*Entry:\*\*[\s\S]*?(?=\n- )/.exec(block) ?? [];
      const [first = ""] = /- \*\*Read first:\*\*[\s\S]*/.exec(block) ?? [];
      const named = [...entry.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
      expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
      const files = [...first.matchAll(/`([\w./-]+\.ts)`/g)].map(
        ([, file]) => `src/${room}/${file}`,
      );
      expect(files.filter((file) => !sources.includes(file))).toEqual([]);
    }
  });

  test("what comments cite of docs/semantics.md stands there", () => {
    const headings = readFileSync(join(ROOT, "docs/semantics.md"), "utf8").matchAll(/^## (.+)$/gm);
    const known = new Set([...headings].map(([, heading]) => heading));
    const code = tracked.filter((file) => /^(?:src|python|bench)\/.*\.(?:ts|js|py)$/.test(file));
    const cited = code.flatMap((file) => {
      // A citation may be divided by the end of a line of the comment.
      const text = readFileSync(join(ROOT, file), "utf8").replaceAll(
        /\s*\n\s*(?:\*|\/\/|#)?\s*/g,
        " ",
      );
      return [...text.matchAll(/semantics, "([^"]+)"/g)].map(([, heading]) => ({ file, heading }));
    });
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ heading }) => !known.has(heading))).toEqual([]);
  });

  test("the lock file holds no download addresses", () => {
    // That of our own page is a link to its folder.
    const lock = readFileSync(join(ROOT, "package-lock.json"), "utf8");
    expect(lock.replace('"resolved": "ui"', "")).not.toContain('"resolved"');
  });
});
