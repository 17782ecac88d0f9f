// @ts-check
/**
 * @file Packages out of the registries, by the clients that the machine has set up for them: `npm pack`, and
 * `apt-helper` with the mirror that apt uses. What was fetched stays in the user's cache folder.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** @import { Package } from "./list.js" */

const CACHE = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "afterlog-bench",
  "landings",
);

/** The files of one version of a package. */
export class Version {
  #folder;
  /** @type {Map<string, string>} */
  #texts = new Map();

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
  }

  /** @type {readonly string[] | undefined} */
  #files;

  /** Paths of all files, in order. */
  files() {
    return (this.#files ??= this.#listed());
  }

  #listed() {
    const entries = readdirSync(this.#folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const from = this.#folder.length + 1;
    return files.map((entry) => join(entry.parentPath, entry.name).slice(from)).sort();
  }

  /**
   * @param {string} file
   * @returns {string | undefined}
   */
  text(file) {
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    const path = join(this.#folder, file);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    const text = readFileSync(path, "utf8");
    this.#texts.set(file, text);
    return text;
  }
}

/**
 * Both versions of a package, fetched if they are not in the cache; undefined, and said, if the registry
 * does not give them.
 * @param {Package} wanted
 * @returns {{ readonly older: Version, readonly newer: Version } | undefined}
 */
export function fetchBoth({ registry, name, older, newer, olderArchive, newerArchive }) {
  try {
    return {
      older: new Version(fetched({ registry, name, version: older, archive: olderArchive })),
      newer: new Version(fetched({ registry, name, version: newer, archive: newerArchive })),
    };
  } catch (error) {
    console.error(`bench: ${name} ${older}, ${newer} cannot be fetched: ${String(error)}`);
    return undefined;
  }
}

/**
 * The folder of a version. It is unpacked beside its place and then moved there, so that a folder that
 * exists is complete.
 * @param {{ readonly registry: string, readonly name: string, readonly version: string, readonly archive: string }} wanted
 */
function fetched({ registry, name, version, archive }) {
  const folder = join(CACHE, registry, name.replaceAll("/", "+"), version);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(join(partial, "files"), { recursive: true });
  if (registry === "npm") packFromNpm(`${name}@${version}`, partial);
  else downloadFromDebian(archive, partial);
  const packed = readdirSync(partial).find((entry) => entry !== "files") ?? "";
  const files = join(partial, "files");
  const pattern = SOURCES[registry] ?? "*";
  execFileSync("tar", ["-xf", join(partial, packed), "-C", files, ...TAR, pattern], QUIET);
  renameSync(files, folder);
  rmSync(partial, { recursive: true, force: true });
  return folder;
}

/** All is in one folder, whose name differs from version to version; only sources are of use. */
const TAR = [
  "--strip-components=1",
  "--no-same-owner",
  "--no-same-permissions",
  "--exclude=*.d.ts",
  "--exclude=*.min.js",
  "--wildcards",
];
/** @type {{ readonly [registry: string]: string }} */
const SOURCES = { npm: "*.[jtcm]*s", debian: "*.py" };

/** @type {{ stdio: ["ignore", "ignore", "ignore"] }} */
const QUIET = { stdio: ["ignore", "ignore", "ignore"] };

/**
 * @param {string} specifier
 * @param {string} folder
 */
function packFromNpm(specifier, folder) {
  execFileSync("npm", ["pack", specifier, "--ignore-scripts", "--pack-destination", folder], {
    ...QUIET,
    cwd: folder,
  });
}

/**
 * @param {string} archive
 * @param {string} folder
 */
function downloadFromDebian(archive, folder) {
  const [path = "", checksum = ""] = archive.split("#");
  const target = join(folder, path.slice(path.lastIndexOf("/") + 1));
  const address = new URL(path, debianMirror()).href;
  execFileSync(
    "/usr/lib/apt/apt-helper",
    ["download-file", address, target, `SHA256:${checksum}`],
    QUIET,
  );
}

/** The mirror of Debian that apt is set up with. */
function debianMirror() {
  const format = "$(REPO_URI) $(CREATED_BY) $(COMPONENT) $(LABEL)";
  const lines = execFileSync("apt-get", ["indextargets", "--format", format], { encoding: "utf8" });
  const mirror = lines.split("\n").find((line) => line.endsWith(" Packages main Debian"));
  if (mirror === undefined) throw new Error("apt knows no mirror of Debian");
  return mirror.slice(0, mirror.indexOf(" "));
}
