// @ts-check
/**
 * @file Which tests are run for a fault, the likely and the cheap first: those that are expected to
 * catch it, unit tests that import it, folders of `test/` that are about its room, everything else. A step is one process of vitest or of Python's unittest. Pure.
 */

/**
 * @typedef {{ readonly file: string, readonly test?: string }} Expected
 *   A test by the end of its path, and a pattern for its title.
 * @typedef {{ readonly kind: "vitest" | "unittest", readonly files: readonly string[], readonly test?: string }} Step
 * @typedef {"unit" | "test"} Suite
 */

/**
 * Folders of `test/` whose tests are about a room.
 * @type {{ readonly [room: string]: readonly string[] }}
 */
const ABOUT = {
  format: ["format", "faults", "python/golden"],
  store: ["git", "retention", "crash", "faults"],
  materialize: ["crash", "retention", "faults", "sdk"],
  adapters: ["adapters", "truth", "sdk"],
  loader: ["loader"],
  sdk: ["sdk", "replay", "handsfree", "run", "faults", "crash"],
  catalog: ["catalog", "cli-read", "cli-history"],
  tree: ["propagation", "versions"],
  languages: ["languages", "propagation", "versions", "handsfree"],
  planner: ["planner", "replayer", "truth", "cli-replay"],
  replayer: ["replayer", "versions", "cli-replay", "truth"],
  app: ["cli-read", "cli-history", "cli-replay", "run", "retention"],
  cli: ["cli-read", "cli-history", "cli-replay", "run", "git"],
  python: ["python"],
};

/**
 * The room of a source: a folder of `src/`, or `python/` and one of the package.
 * @param {string} file
 * @returns {string}
 */
export function roomOf(file) {
  const parts = file.split("/");
  if (parts[0] === "src") return parts[1] ?? "";
  return parts.length > 3 ? `python/${parts[2]}` : "python";
}

/**
 * @param {readonly string[]} files All test files.
 * @param {Expected} expected
 * @returns {string[]}
 */
export function findTests(files, { file }) {
  const exact = files.filter((path) => path.endsWith(`/${file}`));
  if (exact.length > 0) return exact;
  const name = file.slice(file.lastIndexOf("/") + 1);
  return files.filter((path) => path.endsWith(`/${name}`));
}

/**
 * Whether a test reads the sources: it needs no build, and what it does not import cannot fail it.
 * @param {string} file
 */
export function isUnitTest(file) {
  return file.endsWith(".py") || file.startsWith("src/") || file.startsWith("test/unit/");
}

/**
 * @param {readonly string[]} files Test files of the suite, of both languages.
 * @param {{ readonly room: string, readonly caughtBy?: readonly Expected[] }} fault
 * @param {{ readonly costs?: ReadonlyMap<string, number>, readonly distances?: ReadonlyMap<string, number> }} known
 *   CPU seconds by test file, as far as measured, and how far each file is from the edited one.
 * @returns {Step[]}
 */
export function stepsFor(files, { room, caughtBy = [] }, { costs, distances = new Map() } = {}) {
  /** @type {Step[]} */
  const expected = caughtBy.flatMap((one) => {
    const test = one.test === undefined ? {} : { test: one.test };
    return findTests(files, one).map((file) => ({ ...stepOf([file]), ...test }));
  });
  const cost = (/** @type {string} */ file) => costs?.get(file) ?? UNKNOWN_COST;
  const about = ABOUT[room.split("/")[0] ?? ""] ?? [];
  const isRelated = (/** @type {string} */ file) =>
    distances.has(file) || about.some((part) => file.startsWith(`test/${part}`));
  const units = files.filter((file) => isUnitTest(file) && cost(file) <= DEAR);
  const alone = files
    .filter((file) => !units.includes(file))
    .sort((one, other) => cost(one) - cost(other));
  const isPython = room.startsWith("python");
  const unitsAt = (/** @type {number} */ from, /** @type {number} */ to) => {
    const found = units.filter((file) => {
      const imports = distances.get(file) ?? (isPython ? FAR : Infinity);
      const isOfRoom = file.startsWith(`src/${room}/`) || file.startsWith(`test/unit/${room}/`);
      const distance = isOfRoom && imports < Infinity ? Math.min(imports, FAR - 1) : imports;
      return distance >= from && distance <= to;
    });
    return [
      found.filter((file) => file.endsWith(".py")),
      found.filter((file) => !file.endsWith(".py")),
    ];
  };
  const far = unitsAt(FAR, Number.MAX_VALUE);
  const isQuick = (/** @type {string} */ file) => !isPython && cost(file) <= DEAR;
  const groups = [
    ...unitsAt(0, 1),
    ...unitsAt(2, FAR - 1),
    ...alone.filter((file) => isRelated(file) && isQuick(file)).map((file) => [file]),
    ...(isPython ? far.slice(0, 1) : far),
    ...alone.filter((file) => isRelated(file) && !isQuick(file)).map((file) => [file]),
    ...(isPython ? far.slice(1) : []),
    ...alone.filter((file) => !isRelated(file)).map((file) => [file]),
  ];
  return [...expected, ...groups.filter((group) => group.length > 0).map(stepOf)];
}

/** So many imports away, over the doors of rooms, everything leads to everything. */
const FAR = 3;
/** CPU seconds of a test file that nobody has measured, and from which on one runs alone. */
const UNKNOWN_COST = 5;
const DEAR = 8;

/**
 * A step in words, by which it is known again.
 * @param {Step} step
 */
export function stepName({ files, test }) {
  return `${files.join(" ")}${test === undefined ? "" : ` -t ${test}`}`;
}

/**
 * @param {readonly string[]} files
 * @returns {Step}
 */
function stepOf(files) {
  return { kind: kindOf(files[0] ?? ""), files };
}

/**
 * @param {string} file
 * @returns {Step["kind"]}
 */
function kindOf(file) {
  return file.endsWith(".py") ? "unittest" : "vitest";
}
