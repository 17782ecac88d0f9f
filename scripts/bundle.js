/**
 * @file Puts the modules that `tsc` built (`build/`) together into the few files that users run (`dist/`): a process
 * that loads five hundred modules takes a quarter of a second longer than one that loads thirty. Part of `npm run build`.
 *
 * A file that a process begins with, or that is named by its address or by `require`, lies in `dist/` where it lies in
 * `build/`; all others are in chunks that are loaded by the same of these files. So there is one instance of each module in
 * a process, and none is loaded that was not before. Addresses relative to a module mean what they meant.
 */
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { ROOT } from "./processes.js";

const BUILT = join(ROOT, "build");
const OUT = join(ROOT, "dist");
const CHUNKS = "chunks";
/** Of the page: it has a bundler of its own. */
const PAGE = "ui";

const ENTRIES = [
  "cli/main",
  "sdk/index",
  "sdk/preload",
  "languages/typescript/starting/import-hooks",
  "languages/typescript/starting/require-hook",
  "languages/typescript/rewriting/program-rewriter",
  "languages/typescript/rewriting/strip-types",
  "languages/python/python-service-worker",
  "loader/map-worker",
  "materialize/worker",
  "server/question-worker",
];

/** `new URL("./worker.js", import.meta.url)` */
const ADDRESS = /new URL\([`"](\.[^`"?$]*\.js)[^`"]*[`"], import\.meta\.url\)/g;

/** Stands for `import.meta` of a module until it is known which file the module is in. */
const OWN = /__metaOf\("([^"]+)"\)\.(url|dirname)/g;

/** What is at an address relative to a module is found from the file that the module was put into. */
const keepAddresses = {
  name: "keep-addresses",
  /** @param {string} code @param {string} id */
  transform(code, id) {
    if (!code.includes("import.meta")) return null;
    const module = relative(BUILT, id);
    for (const [, address] of code.matchAll(ADDRESS)) {
      const named = join(dirname(module), address);
      if (existsSync(join(BUILT, named)) && !ENTRIES.includes(named.replace(/\.js$/, "")))
        this.error(
          `${module} names ${named} by its address: add it to ENTRIES in scripts/bundle.js`,
        );
    }
    const places = metaProperties(this.parse(code)).toReversed();
    let text = code;
    for (const { start, end } of places)
      text = `${text.slice(0, start)}__metaOf("${module}")${text.slice(end)}`;
    return { code: text, map: null };
  },
  /** @param {string} code @param {{ fileName: string }} chunk */
  renderChunk(code, { fileName }) {
    return {
      code: code.replaceAll(OWN, (_, module, property) => {
        if (module === fileName) return `import.meta.${property}`;
        const own = relative(dirname(fileName), module);
        const address = `new URL("${own.startsWith(".") ? own : `./${own}`}", import.meta.url)`;
        if (property === "url") return `${address}.href`;
        return `process.getBuiltinModule("node:url").fileURLToPath(new URL(".", ${address}))`;
      }),
      map: null,
    };
  },
};

/** @returns {{ start: number, end: number }[]} in the order of the text */
function metaProperties(node, found = []) {
  if (Array.isArray(node)) for (const one of node) metaProperties(one, found);
  else if (node !== null && typeof node === "object") {
    if (node.type === "MetaProperty" && node.meta.name === "import") found.push(node);
    else for (const child of Object.values(node)) metaProperties(child, found);
  }
  return found.toSorted((a, b) => a.start - b.start);
}

const files = ENTRIES.map((name) => [name, join(BUILT, `${name}.js`)]);
const bundle = await rolldown({
  input: Object.fromEntries(files),
  platform: "node",
  external: (id) => !/^[./]/.test(id),
  plugins: [keepAddresses],
});
if (existsSync(OUT))
  for (const name of readdirSync(OUT))
    if (name !== PAGE) rmSync(join(OUT, name), { recursive: true });
await bundle.write({
  dir: OUT,
  format: "es",
  entryFileNames: "[name].js",
  chunkFileNames: `${CHUNKS}/[name].js`,
});
await bundle.close();
chmodSync(join(OUT, "cli/main.js"), 0o755);
