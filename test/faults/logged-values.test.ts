/**
 * @file Anything may be logged, under any name: the training goes on, the value comes back, and
 * DuckDB reads every line.
 */
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LogRecord, TensorReference } from "../../src/format/index.ts";
import { hex32, valueFromJson } from "../../src/format/index.ts";
import { runPaths } from "../../src/store/index.ts";
import type { Finished } from "../support/process.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import type { ReadLog } from "../support/recorded.ts";
import { ofKind, readLog, warnings } from "../support/recorded.ts";

/** Source text of a value, and what reading it back gives. */
const VALUES: readonly (readonly [source: string, expected: unknown])[] = [
  ["[, 1]", [undefined, 1]],
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["-0", -0],
  ["0", 0],
  ["2 ** 60", 2 ** 60],
  ["5e-324", 5e-324],
  ["1.7976931348623157e308", Number.MAX_VALUE],
  ["2n ** 70n", 2n ** 70n],
  ["-(2n ** 70n)", -(2n ** 70n)],
  ["0.1 + 0.2", 0.1 + 0.2],
  ["true", true],
  ["null", null],
  ["undefined", undefined],
  ['""', ""],
  ['"\\ud800"', "\ud800"],
  ['"a\\udc00b\\ud800"', "a\udc00b\ud800"],
  ['"\\u0000 and \\u2028 and \\n"', "\u0000 and \u2028 and \n"],
  ['"🙂 é 漢"', "🙂 é 漢"],
  ['"x".repeat(10_000_000)', "x".repeat(10_000_000)],
  ['"\\ud83d\\ude42".repeat(1_000_000)', "🙂".repeat(1_000_000)],
  ["new Date(86400000)", new Date(86_400_000)],
  ['new Date("no")', new Date(Number.NaN)],
  [
    "new Map([[1, { a: NaN }], [{ k: 1 }, -0]])",
    new Map<unknown, unknown>([
      [1, { a: Number.NaN }],
      [{ k: 1 }, -0],
    ]),
  ],
  ["new Set([1, 1n, '\\ud800'])", new Set<unknown>([1, 1n, "\ud800"])],
  ["[1, [2, [undefined, NaN]]]", [1, [2, [undefined, Number.NaN]]]],
  ["{ a: 1, b: { c: [Infinity] }, d: undefined }", { a: 1, b: { c: [Infinity] } }],
  ['{ $: "float", v: "NaN" }', { $: "float", v: "NaN" }],
  ['{ "\\ud800": 1 }', { "\ud800": 1 }],
  ["{ toJSON: () => ({ seen: 1n }) }", { seen: 1n }],
  ["Object.create(null)", {}],
  ["JSON.parse('{\"__proto__\": 1}')", JSON.parse('{"__proto__": 1}')],
];

/** What has no value to bring back is described instead. */
const DESCRIBED: readonly (readonly [source: string, expected: unknown])[] = [
  ["() => 1", unsupported("function")],
  ["Symbol('s')", unsupported("Symbol(s)")],
  ["(() => { const a = [1]; a.push(a); return a; })()", [1, unsupported("circular")]],
  [
    "(() => { const o = { x: 1 }; o.o = { o }; return o; })()",
    { x: 1, o: { o: unsupported("circular") } },
  ],
  ["{ get a() { throw new Error('gone'); } }", unsupported("gone")],
  ["new Proxy({}, { ownKeys() { throw new Error('shut'); } })", unsupported("shut")],
];

function unsupported(text: string): unknown {
  return { $: "unsupported", v: expect.stringContaining(text) };
}

const TYPED = [
  ["Int8Array", "I8", 1],
  ["Uint8Array", "U8", 1],
  ["Uint8ClampedArray", "U8", 1],
  ["Int16Array", "I16", 2],
  ["Uint16Array", "U16", 2],
  ["Int32Array", "I32", 4],
  ["Uint32Array", "U32", 4],
  ["Float32Array", "F32", 4],
  ["Float64Array", "F64", 8],
  ["BigInt64Array", "I64", 8],
  ["BigUint64Array", "U64", 8],
] as const;

/** Each name is both that of a value and, where a loop may have it, that of a loop. */
const NAMES = [
  "plain",
  'with "quotes" and \\ backslash',
  "emoji 🙂 and é",
  "a".repeat(1000),
  "a/b=c,d#1%20",
  "__proto__",
  "..",
  "'; drop table logs; --",
];

/** Source text of what cannot be a name, and what is said of it. */
const NO_NAMES: readonly (readonly [source: string, said: string])[] = [
  ['""', "the name of what is logged is empty"],
  ['"a\\nb"', 'the name "a\\nb" has characters that cannot be shown'],
  ['"a\\u0000"', 'the name "a\\u0000" has characters that cannot be shown'],
  ['"\\u001b[31mred"', 'the name "\\u001b[31mred" has characters that cannot be shown'],
  ['"\\u009b1m"', 'the name "\\u009b1m" has characters that cannot be shown'],
  ['"half \\ud800 a pair"', 'the name "half \\ud800 a pair" has characters that cannot be shown'],
  ['"a".repeat(5000)', "has 5000 characters, more than 1000"],
  ["7", "was given a number for the name"],
  ['Symbol("s")', "was given a symbol for the name"],
  ["undefined", "was given undefined for the name"],
  ["new Map()", "log takes a name and a value, and was given an object for the name"],
];

const PROGRAM = `import * as al from "afterlog";
const values = [${[...VALUES, ...DESCRIBED].map(([source]) => `() => (${source})`).join(",\n")}];
values.forEach((make, index) => {
  const value = make();
  if (!Object.is(al.log("v" + index, value), value)) throw new Error("another value came back");
});
let deep = 0;
for (let i = 0; i < 1000; i++) deep = { deep };
al.log("deep", deep);
const names = JSON.parse(process.env.NAMES);
for (const [index, name] of names.entries()) {
  al.log(name, 1000 + index);
  for (const item of al.loop(name, [name])) al.log("in loop", 1000 + index);
}
${NO_NAMES.map(([source]) => `for (let i = 0; i < 2; i++) al.log(${source}, "none");`).join("\n")}
al.checkpointing(Object.fromEntries(names.filter((n) => n !== "__proto__").map((n) => [n, 1])));
for (const type of [${TYPED.map(([type]) => type).join(", ")}]) {
  const one = type.name.startsWith("Big") ? (x) => BigInt(x) : (x) => x;
  const array = type.from([1, 2, 3, 100], one);
  al.log(type.name, array);
  al.log(type.name + " part", array.subarray(1, 3));
  al.log(type.name + " empty", new type(0));
  array.fill(one(9));
}
al.log("special", Float64Array.of(NaN, Infinity, -Infinity, -0));
for (const i of al.loop("end", al.range(1)));
console.log("finished");
`;

let project: TestProject;
let ended: Finished;
let log: ReadLog;
let byName: Map<string, LogRecord>;

beforeAll(async () => {
  project = TestProject.apart({ fast: true });
  project.write("train.mjs", PROGRAM);
  ended = await project.train({ env: { ...WITHOUT_GIT, NAMES: JSON.stringify(NAMES) } });
  log = readLog(project.onlyRun);
  byName = new Map(ofKind(log.records, "log").map((record) => [record.name, record]));
});

afterAll(() => project[Symbol.dispose]());

test("the program is not disturbed, and its log is whole", () => {
  expect(warnings(ended.stderr).filter((line) => !/version|AL061/.test(line))).toEqual([]);
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "finished\n" });
  expect(log).toMatchObject({ sealed: "done", damage: [], tornBytes: 0 });
});

describe("values come back", () => {
  const rows = [...VALUES, ...DESCRIBED].map(([source, expected], index) => ({
    source: source.slice(0, 60),
    expected,
    index,
  }));
  test.each(rows)("$source", ({ expected, index }) => {
    const record = byName.get(`v${index}`);
    expect(record).toBeDefined();
    expect(valueFromJson(record?.value)).toStrictEqual(expected);
  });

  test("1000 deep: the upper levels, and then a word", () => {
    let value = valueFromJson(byName.get("deep")?.value) as { deep?: unknown };
    let levels = 0;
    while (typeof value === "object" && "deep" in value) {
      value = value.deep as { deep?: unknown };
      levels++;
    }
    expect(levels).toBeGreaterThan(32);
    expect(value).toEqual(unsupported("deep"));
  });
});

describe("typed arrays", () => {
  test.each(TYPED)("%s", (type, dtype, width) => {
    const values = readFileSync(runPaths.values(project.onlyRun));
    const check = (name: string, elements: readonly number[]): void => {
      const reference = byName.get(name)?.value as TensorReference;
      const bytes = elements.length * width;
      expect(reference).toMatchObject({ $: "tensor", dtype, shape: [elements.length], bytes });
      const { offset = -1, stats } = reference;
      const kept = values.subarray(offset, offset + bytes);
      expect(hex32(crc32(kept))).toBe(reference.crc32);
      expect([...readElements(type, kept)].map(Number)).toEqual(elements);
      expect(stats.count).toBe(elements.length);
      expect(stats.max).toBe(elements.length === 0 ? null : Math.max(...elements));
    };
    check(type, [1, 2, 3, 100]);
    check(`${type} part`, [2, 3]);
    check(`${type} empty`, []);
  });

  test("NaN and infinities have statistics too", () => {
    const special = byName.get("special")?.value as TensorReference;
    const { stats } = special;
    expect(stats).toMatchObject({ count: 4, nan: 1 });
    expect([valueFromJson(stats.min), valueFromJson(stats.max)]).toEqual([-Infinity, Infinity]);
  });
});

function readElements(type: string, bytes: Buffer): Iterable<number | bigint> {
  const copy = new Uint8Array(bytes).buffer;
  const types = globalThis as unknown as {
    [name: string]: new (buffer: ArrayBuffer) => Iterable<number | bigint>;
  };
  const constructor = types[type];
  if (!constructor) throw new Error(`no ${type}`);
  return new constructor(copy);
}

describe("names", () => {
  test.each(NAMES.map((name, index) => ({ name: JSON.stringify(name).slice(0, 40), index })))(
    "$name",
    ({ index }) => {
      const name = (NAMES[index] ?? "").toWellFormed();
      const records = ofKind(log.records, "log").filter(({ value }) => value === 1000 + index);
      expect(records).toMatchObject([
        { name, path: [] },
        { name: "in loop", path: [[name, 0]] },
      ]);
      const loops = log.records.filter((record) => "loop" in record && record.loop === name);
      expect(loops.map(({ k }) => k)).toEqual(["enter", "exit"]);
    },
  );

  test("none that could not be shown: it is said once, with the place, and recording goes on", () => {
    const said = warnings(ended.stderr).filter((text) => text.includes("AL061"));
    const first = PROGRAM.split("\n").findIndex((line) => line.includes('"none"')) + 1;
    expect(said.length).toBe(NO_NAMES.length);
    for (const [at, [, text]] of NO_NAMES.entries()) {
      expect(said[at]).toContain(`${text} (train.mjs:${first + at}); nothing is logged there`);
    }
    expect(ofKind(log.records, "log").some(({ value }) => value === "none")).toBe(false);
    expect(byName.has("special")).toBe(true);
  });
});

test("DuckDB reads every line", async () => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const file = runPaths.log(project.onlyRun).replaceAll("'", "''");
    const read = `read_ndjson_objects('${file}', maximum_object_size = 100000000)`;
    const counted = await connection.runAndReadAll(
      `select count(*)::int as lines, count(*) filter (json_valid(json))::int as valid,
              count(*) filter (json->>'k' = 'log')::int as logs from ${read}`,
    );
    const lines = log.records.length;
    const logs = ofKind(log.records, "log").length;
    expect(counted.getRowObjects()).toEqual([{ lines, valid: lines, logs }]);
    const names = await connection.runAndReadAll(
      `select json->>'name' as name from ${read} where json->>'k' = 'log'`,
    );
    expect(names.getRowObjects().map(({ name }) => name)).toEqual(
      ofKind(log.records, "log").map(({ name }) => name),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});
