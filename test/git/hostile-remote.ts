/**
 * @file A remote that means harm: a real repository, whose objects and refs are written as files, so that it
 * holds what no honest program would send. Nothing here uses the code under test but for writing the checksum of a
 * manifest, which anybody can.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import type { Manifest } from "../../src/format/index.ts";
import { manifestToJson } from "../../src/format/index.ts";
import { testEnvironment } from "./sandbox.ts";

export type Fields = { [field: string]: unknown };

/** An entry of a tree: mode, name as bytes of latin1, id. */
export type Entry = readonly [mode: string, name: string, id: string];

const FILES = ["run.json", "log.jsonl", "profile.jsonl"] as const;

/** A run as a stranger would have it: a real one, of which anything can be changed before it is sent. */
export class CraftedRun {
  readonly id: string;
  readonly manifest: Fields;
  readonly log: Fields[];
  readonly profile: Fields[];
  /** Files as they are sent instead of what the fields say. */
  readonly files = new Map<string, Buffer | string>();

  /** `folder`: of a real run. */
  constructor(id: string, folder: string) {
    this.id = id;
    const original = (JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as Manifest).run;
    const read = (file: string): string =>
      readFileSync(join(folder, file), "utf8").replaceAll(original, id);
    const lines = (file: string): Fields[] =>
      read(file)
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Fields);
    const { sha256: _, ...manifest } = JSON.parse(read("run.json")) as Fields;
    this.manifest = manifest;
    this.log = lines("log.jsonl").filter(({ k }) => k !== "seal");
    this.profile = lines("profile.jsonl");
  }

  get version(): Fields {
    return this.manifest["version"] as Fields;
  }

  /** The first line of a kind. */
  line(kind: string): Fields {
    const line = this.log.find(({ k }) => k === kind);
    if (!line) throw new Error(`no line ${kind}`);
    return line;
  }

  bytes(file: (typeof FILES)[number]): Buffer {
    const given = this.files.get(file);
    if (given !== undefined) return Buffer.from(given);
    if (file === "run.json")
      return Buffer.from(manifestToJson(this.manifest as unknown as Manifest));
    const texts = (file === "log.jsonl" ? this.log : this.profile).map((one) =>
      JSON.stringify(one),
    );
    const text = texts.map((one) => `${one}\n`).join("");
    return Buffer.from(file === "log.jsonl" ? sealed(text) : text);
  }
}

/** A log with a seal that fits. */
export function sealed(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  const count = bytes.toString("latin1").split("\n").length - 1;
  const sum = crc32(bytes).toString(16).padStart(8, "0");
  const seal = `{"k":"seal","status":"done","count":${count},"crc32":"${sum}"}\n`;
  return Buffer.concat([bytes, Buffer.from(seal)]);
}

export class HostileRemote {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    execFileSync("git", ["init", "-q", "--bare", folder], { env: testEnvironment() });
  }

  /** An object as it is given, whatever git would say of it. */
  #write(type: string, bytes: Buffer): string {
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.byteLength}\0`), bytes]);
    const id = createHash("sha1").update(whole).digest("hex");
    const file = join(this.folder, "objects", id.slice(0, 2), id.slice(2));
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) writeFileSync(file, deflateSync(whole, { level: 1 }));
    return id;
  }

  blob(content: string | Buffer): string {
    return this.#write("blob", Buffer.from(content));
  }

  /** A blob whose bytes on the disk are cut off. */
  damaged(): string {
    const id = this.blob("what nobody will read again\n".repeat(1000));
    const file = join(this.folder, "objects", id.slice(0, 2), id.slice(2));
    truncateSync(file, 20);
    return id;
  }

  tree(entries: readonly Entry[]): string {
    const bytes = entries.flatMap(([mode, name, id]) => [
      Buffer.from(`${mode} ${name}\0`, "latin1"),
      Buffer.from(id, "hex"),
    ]);
    return this.#write("tree", Buffer.concat(bytes));
  }

  commit(tree: string): string {
    const who = "M <m@example.org> 1700000000 +0000";
    const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\na version\n`;
    return this.#write("commit", Buffer.from(text));
  }

  point(ref: string, id: string): void {
    // Refs that git would not make are made by hand.
    const file = join(this.folder, ref);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${id}\n`);
  }

  /** The version of a run: its own, of a tree that is given. */
  setVersion(run: CraftedRun, tree: string): void {
    const commit = this.commit(tree);
    Object.assign(run.version, { commit, ref: `refs/afterlog/runs/${run.id}` });
    this.point(`refs/afterlog/runs/${run.id}`, commit);
  }

  /** `others`: entries of its log's tree that replace those of the same names, or are added. */
  send(run: CraftedRun, others: readonly Entry[] = []): void {
    const own = FILES.map((file): Entry => ["100644", file, this.blob(run.bytes(file))]);
    const named = new Map([...own, ...others].map((entry) => [entry[1], entry]));
    const entries = [...named.values()].toSorted(([, a], [, b]) => (a < b ? -1 : 1));
    this.point(`refs/afterlog/logs/${run.id}`, this.tree(entries));
  }
}
