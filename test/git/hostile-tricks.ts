/**
 * @file The tricks of a hostile remote that concern one run each. All of them are sent at once.
 */
import type { CraftedRun, Entry, HostileRemote } from "./hostile-remote.ts";
import { sealed } from "./hostile-remote.ts";

export interface Tricked {
  readonly run: CraftedRun;
  readonly remote: HostileRemote;
  /** The id of another crafted run. */
  readonly idOf: (letters: string) => string;
  /** A run that is here, recorded by the user. */
  readonly own: string;
}

/** Changes the run before it is sent; may answer entries of its log's tree. */
type Make = (tricked: Tricked) => readonly Entry[] | void;

/** A trick and what is said of it; `taken`: the run comes, and does no harm. */
export type Trick = readonly [what: string, said: RegExp | "taken", make: Make];

const set =
  (field: string, value: unknown): Make =>
  ({ run }) => {
    run.manifest[field] = value;
  };
const setVersion =
  (fields: object): Make =>
  ({ run }) => {
    Object.assign(run.version, fields);
  };
const inLine =
  (kind: string, fields: object): Make =>
  ({ run }) => {
    Object.assign(run.line(kind), fields);
  };
/** A version of a tree that is made of its one entry. */
const versionOf =
  (...entries: readonly (readonly [mode: string, name: string, content: string])[]): Make =>
  ({ run, remote }) => {
    const made = entries.map(([mode, name, text]): Entry => [mode, name, remote.blob(text)]);
    remote.setVersion(run, remote.tree(made));
  };

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

export const IN_MANIFEST: readonly Trick[] = [
  ["it is another run", /not the run that it is said/, set("run", "x-20260101-000000-aaaa")],
  ["no id of a run", /run is not the id/, set("run", "../../evil")],
  ["a program outside", /program is not a path inside/, set("program", "../../../etc/passwd")],
  ["an absolute program", /program is not a path inside/, set("program", "/etc/passwd")],
  ["a drive of Windows", /program is not a path inside/, set("program", "C:evil.py")],
  ["backslashes", /program is not a path inside/, set("program", "a\\..\\..\\evil.py")],
  ["NUL in a path", /program is not a path inside/, set("program", "train.ts\0.png")],
  ["percent-encoded dots are a name", "taken", set("cwd", "%2e%2e/%2e%2e")],
  ["a parent outside", /parent is not the id/, set("parent", "../../x")],
  [
    "its own parent",
    /its own parent/,
    ({ run }) => void Object.assign(run.manifest, { kind: "fork", parent: run.id }),
  ],
  [
    "parents in a circle, one",
    /its own parent/,
    ({ run, idOf }) => void Object.assign(run.manifest, { kind: "fork", parent: idOf("crcb") }),
  ],
  [
    "parents in a circle, two",
    /its own parent/,
    ({ run, idOf }) => void Object.assign(run.manifest, { kind: "fork", parent: idOf("crca") }),
  ],
  ["an order beyond numbers", /order is not a count/, set("order", 1e300)],
  ["an order of the year 9999", "taken", set("order", 253_370_764_800_000)],
  ["a status that never ends", /status is not one of/, set("status", "recording")],
  ["a kind that there is not", /kind is not one of/, set("kind", "script")],
  ["a later format", /another format/, set("format", 2)],
  ["a word for git", /commit is not a commit/, setVersion({ commit: "--output=evil" })],
  [
    "a version that is another's",
    /not the one that it names/,
    setVersion({ commit: "0".repeat(40) }),
  ],
  ["a ref of the user's", /version.ref is not the ref/, setVersion({ ref: "refs/heads/main" })],
  [
    "the ref of another run",
    /kept under another name/,
    ({ run, own }) => void Object.assign(run.version, { ref: `refs/afterlog/runs/${own}` }),
  ],
  ["a folder outside", /version.folder is not/, setVersion({ folder: "../.." })],
  [
    "a large file outside",
    /version.large\[0\].file is not/,
    setVersion({ large: [{ file: "/etc/passwd", bytes: 1, sha256: "00" }] }),
  ],
  ["an option for Python", /module is not the name/, set("module", "-c")],
  [
    "a source outside",
    /sources: name 0 is not a path/,
    set("sources", { "../../.ssh/id_rsa": "00" }),
  ],
  [
    "a name that changes objects",
    /sources: name 0 is no name/,
    set("sources", JSON.parse('{"__proto__": "00"}')),
  ],
  ["arguments with NUL", /argv\[0\] is not/, set("argv", ["a\0b"])],
  ["a host that is none", /host is not a record/, set("host", null)],
  ["a time that is none", /started is not a time/, set("started", "soon")],
  ["a rule without end", /consoleRule is not/, set("consoleRule", "(a+)+".repeat(3000))],
  [
    "a manifest that is changed",
    /checksum does not match/,
    ({ run }) =>
      void run.files.set(
        "run.json",
        run.bytes("run.json").toString().replace("train.ts", "evil0.ts"),
      ),
  ],
  [
    "a manifest nested deeply",
    /checksum does not match/,
    ({ run }) => void run.files.set("run.json", nested(200_000)),
  ],
  [
    "a field nested deeply",
    /directive.* deep/,
    ({ run }) => void (run.manifest["directive"] = { x: JSON.parse(nested(600)) as unknown }),
  ],
  [
    "a replay of nothing",
    /directive.* is (?:missing|not)/,
    ({ run, own }) =>
      void Object.assign(run.manifest, { kind: "replay", parent: own, directive: {} }),
  ],
];

export const IN_FILES: readonly Trick[] = [
  [
    "a log that is changed",
    /checksum does not match/,
    ({ run }) =>
      void run.files.set("log.jsonl", run.bytes("log.jsonl").toString().replace("loss", "lass")),
  ],
  [
    "a log without an end",
    /not sealed/,
    ({ run }) => void run.files.set("log.jsonl", '{"k":"header"}\n'),
  ],
  [
    "the log of another run",
    /log.jsonl:1: it is the log of another/,
    inLine("header", { run: "x-20260101-000000-aaaa" }),
  ],
  ["two headers", /header is not the first/, ({ run }) => void run.log.push(run.line("header"))],
  [
    "no JSON",
    /log.jsonl:2: it is no JSON/,
    ({ run }) => void run.files.set("log.jsonl", sealed(`${JSON.stringify(run.log[0])}\n{"k":\n`)),
  ],
  [
    "bytes that are no text",
    /log.jsonl: it is no UTF-8/,
    ({ run }) =>
      void run.files.set("log.jsonl", sealed(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]))),
  ],
  ["half a character", /value is not Unicode/, inLine("log", { value: "\ud800" })],
  [
    "a line nested very deeply",
    /log.jsonl:2: (?:it is no JSON|is not a record)/,
    ({ run }) =>
      void run.files.set(
        "log.jsonl",
        sealed(`${JSON.stringify(run.log[0])}\n${nested(1_000_000)}\n`),
      ),
  ],
  [
    "a value nested deeply",
    /value is nested/,
    ({ run }) => void (run.line("log")["value"] = JSON.parse(nested(600))),
  ],
  [
    "a number beyond doubles",
    /value is beyond a double/,
    ({ run }) =>
      void run.files.set(
        "log.jsonl",
        sealed(
          run.log
            .map((one) =>
              `${JSON.stringify(one)}\n`.replace(
                /"name":"loss",(.*)"value":[\d.]+/,
                '"name":"loss",$1"value":1e999',
              ),
            )
            .join(""),
        ),
      ),
  ],
  [
    "a bigint of letters",
    /value \(bigint\).v is not/,
    inLine("log", { value: { $: "bigint", v: "process.exit()" } }),
  ],
  [
    "a map of nothing",
    /value \(map\).v is not a list/,
    inLine("log", { value: { $: "map", v: 7 } }),
  ],
  [
    "a tensor before its file",
    /\(tensor\).offset is not/,
    inLine("log", {
      value: {
        $: "tensor",
        dtype: "F64",
        shape: [1],
        offset: -8,
        bytes: 8,
        crc32: "00000000",
        stats: {},
      },
    }),
  ],
  [
    "a name of 20,000 characters",
    /name is not a name of 1 to/,
    inLine("log", { name: "x".repeat(20_000) }),
  ],
  ["a site beyond any program", /site is not a count/, inLine("site", { site: 1e12 })],
  ["2 × 10^9 iterations", /more than 50000000 iterations/, inLine("exit", { iterations: 2e9 })],
  ["10^15 iterations", /iterations is not a count/, inLine("exit", { iterations: 1e15 })],
  ["a path of texts", /path\[0\] is not/, inLine("log", { path: ["../.."] })],
  ["a mark of its own making", /check is not one of/, inLine("log", { check: "certified" })],
  [
    "a kind of line that there is not",
    "taken",
    ({ run }) => void run.log.push({ k: "evil", rm: "-rf" }),
  ],
  [
    "120,000 names",
    /more than 100000 names/,
    ({ run }) => {
      const line = run.line("log");
      for (let at = 0; at < 120_000; at++) run.log.push({ ...line, name: `n${at}` });
    },
  ],
  [
    "20,000 loops",
    /more than 10000 loops/,
    ({ run }) => {
      const line = run.line("enter");
      for (let at = 0; at < 20_000; at++) run.log.push({ ...line, loop: `l${at}` });
    },
  ],
  [
    "a profile of texts",
    /profile.jsonl:1.*ms is not/,
    ({ run }) => void run.profile.unshift({ k: "start", ms: "long" }),
  ],
  [
    "a rewind to before all",
    /seq is not/,
    ({ run }) => void run.log.push({ k: "rewind", path: [], seq: -2 }),
  ],
];

export const IN_OBJECTS: readonly Trick[] = [
  [
    "a link for a manifest",
    /no run.json/,
    ({ remote }) => [["120000", "run.json", remote.blob("/etc/passwd")]],
  ],
  [
    "other files, folders and links beside it",
    "taken",
    ({ remote }) => [
      ["100644", "received.json", remote.blob("{}")],
      ["40000", "checkpoints", remote.tree([])],
      ["120000", "claim", remote.blob("/etc/passwd")],
      ["100644", "..", remote.blob("x")],
    ],
  ],
  [
    "a tree larger than any of ours",
    /no log of a run/,
    ({ remote }) =>
      Array.from({ length: 500 }, (_, at): Entry => ["100644", `f${at}`, remote.blob("x")]),
  ],
  [
    "200 MB of zeros in a few bytes",
    /missing or too large/,
    ({ remote }) => [["100644", "log.jsonl", remote.blob(Buffer.alloc(200_000_001))]],
  ],
  [
    "an object that is damaged",
    /damaged or missing there/,
    ({ remote }) => [["100644", "log.jsonl", remote.damaged()]],
  ],
  [
    "an object that is not there",
    /damaged or missing there/,
    () => [["100644", "log.jsonl", "12".repeat(20)]],
  ],
  [
    "a version with hooks",
    /a name in it leads elsewhere/,
    versionOf(["100644", ".git", "gitdir: /tmp/evil"]),
  ],
  [
    "a version with hooks, in capitals",
    /a name in it leads elsewhere/,
    versionOf(["100644", ".GiT", "x"]),
  ],
  [
    "a version with hooks, as Windows has it",
    /a name in it leads elsewhere/,
    versionOf(["100644", "git~1", "x"]),
  ],
  [
    "a version that leads upwards",
    /a name in it leads elsewhere/,
    versionOf(["100644", "..", "x"]),
  ],
  [
    "a version with a slash in a name",
    /a name in it leads elsewhere/,
    versionOf(["100644", "../../evil", "x"]),
  ],
  [
    "a version with two of a name",
    /two names in it are the same/,
    versionOf(["100644", "a", "x"], ["120000", "a", "/etc"]),
  ],
  [
    "a version that writes through a link, by case",
    /two names in it are the same/,
    ({ run, remote }) =>
      remote.setVersion(
        run,
        remote.tree([
          ["40000", "A", remote.tree([["100644", "x", remote.blob("x")]])],
          ["120000", "a", remote.blob("/etc")],
        ]),
      ),
  ],
  ["a version with a device", /an entry of an unknown kind/, versionOf(["60000", "disk", "x"])],
  [
    "a version of 10^10 files",
    /unpacks to more than 1000000 files/,
    ({ run, remote }) => {
      let tree = remote.tree([["100644", "x", remote.blob("x")]]);
      for (let depth = 0; depth < 10; depth++)
        tree = remote.tree(Array.from({ length: 10 }, (_, at): Entry => ["40000", `d${at}`, tree]));
      remote.setVersion(run, tree);
    },
  ],
  [
    "a version of 300 folders in another",
    /nested more than 200 deep/,
    ({ run, remote }) => {
      let tree = remote.tree([]);
      for (let depth = 0; depth < 300; depth++) tree = remote.tree([["40000", "d", tree]]);
      remote.setVersion(run, tree);
    },
  ],
  [
    "a version whose file is missing",
    /its version: its objects are damaged or missing/,
    ({ run, remote }) => remote.setVersion(run, remote.tree([["100644", "gone", "34".repeat(20)]])),
  ],
  [
    "a version that would start programs",
    "taken",
    versionOf(
      ["100644", ".gitattributes", "* filter=evil diff=evil merge=evil\n"],
      ["100644", ".gitconfig", "[core]\n\tfsmonitor = touch evil\n"],
      [
        "100644",
        ".gitmodules",
        '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch evil"\n\tupdate = !touch evil\n',
      ],
      ["100644", ".lfsconfig", '[lfs]\n\turl = "http://127.0.0.1:1/"\n'],
      ["120000", "data", "/etc"],
    ),
  ],
];

/** What of a replay's directive has to be there. */
export function replayOf(name: string): object {
  const compared = { equal: 1, close: 0, different: 0 };
  return {
    replay: "r1",
    unit: 0,
    scan: "suffix",
    ranges: [],
    names: [name],
    statements: [],
    from_checkpoint: null,
    share: 0,
    compared,
    first_difference: null,
    predicted_s: 1,
    actual_s: 1,
    commit: null,
    overlays: "00",
    incomplete: null,
  };
}
