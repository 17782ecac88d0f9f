/**
 * Completes package-lock.json with the packages for other platforms.
 *
 * A registry that serves only the binaries of one platform makes npm leave the others out of the
 * lock file, and then `npm ci` refuses it. Their names tell what they are for; npm fetches such a
 * package only where it fits. Run it after a change of dependencies: node scripts/complete-lock.js
 */
import { readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../package-lock.json", import.meta.url);
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm64", "arm", "x64", "ia32", "ppc64", "riscv64", "s390x", "wasm32"];

/** `linux-arm64-musl` in a name: system, processor and C library that the package is for. */
function platformOf(name) {
  const words = name.split(/[-/]/);
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  const os = SYSTEMS.find((system) => words.includes(system));
  const libc = words.includes("musl") ? "musl" : os === "linux" ? "glibc" : undefined;
  return { cpu: cpu && [cpu], os: os && [os], libc: libc && [libc] };
}

const lock = JSON.parse(readFileSync(FILE, "utf8"));
let added = 0;
for (const [place, owner] of Object.entries(lock.packages)) {
  // Beside its owner: two versions of one package each need their own.
  const folder = place.slice(0, place.lastIndexOf("node_modules/") + "node_modules/".length);
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const key = `${folder}${name}`;
    if (lock.packages[key]?.version === version || !/^\d/.test(version)) continue;
    const dev = owner.dev ? true : undefined;
    lock.packages[key] = { version, ...platformOf(name), dev, optional: true };
    added++;
  }
}
const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync(FILE, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`added ${added} packages for other platforms`);
