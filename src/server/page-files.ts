/** @file The built page: a few files, read once. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES: Readonly<{ [extension: string]: string }> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface PageFiles {
  /** What every address of the page begins with. */
  readonly index: PageFile;
  /** By path: `/assets/index-abc.js`. Their names change with what they hold. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** Undefined where the page was not built: `npm run build`. */
export function readPageFiles(): PageFiles | undefined {
  const folder = fileURLToPath(new URL("../ui/", import.meta.url));
  if (!existsSync(join(folder, "index.html"))) return undefined;
  const read = (path: string): PageFile => ({
    type: TYPES[extname(path)] ?? "application/octet-stream",
    bytes: Uint8Array.from(readFileSync(join(folder, path))),
  });
  const assets = readdirSync(join(folder, "assets")).map((name) => `assets/${name}`);
  return {
    index: read("index.html"),
    assets: new Map(assets.map((path) => [`/${path}`, read(path)])),
  };
}
