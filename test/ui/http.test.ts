/** `afterlog ui` over HTTP: the contract, the values, who may ask, and how it begins and ends. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Keys } from "../../src/server/guard.ts";
import type { RouteContext } from "../../src/server/routes.ts";
import { createRoutes } from "../../src/server/routes.ts";
import { decodeColumns } from "../../ui/src/lib/columns.ts";
import { Training } from "../cli-replay/training.ts";
import { MAIN, ROOT, TestProject } from "../support/project.ts";
import { UiServer } from "./ui-server.ts";
import { until } from "./until.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

type Fields = Readonly<{ [name: string]: unknown }>;

/** What JSON cannot say, and names that are taken or hold a comma. */
const ODD = `import * as al from "afterlog";
al.log("accuracy", Number.NaN);
al.log("a,b %", -Infinity);
al.log("status", "mine");
al.log("long", 2n ** 60n);
al.log("shape", [1, { two: 2 }]);
`;

let project: Training;
let server: UiServer;
beforeAll(async () => {
  project = new Training({ "odd.ts": ODD });
  for (const lr of ["lr=0.1", "lr=0.2"]) await project.record(lr, "epochs=2");
  await project.afterlog("run", "odd.ts");
  project.add("suffix");
  await project.afterlog("replay", "final", "--where", "lr < 0.15", "--yes");
  server = await UiServer.start(project);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  project[Symbol.dispose]();
});

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of an answer, and of what its fields hold. */
function fieldsOf(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map((one) => fieldsOf(one, depth));
  if (!isObject(value) || depth === 0) return true;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, fieldsOf(one, depth - 1)]),
  );
}

/** What is sent, where that needs nothing that was asked before. */
const BODIES: Fields = {
  "/filter": { where: "lr < 1" },
  "/gc": { policy: "peak:accuracy" },
  "/query": { sql: "select run, final from runs where kind = 'record'" },
};

/** What stands in an address for what an example names, and what is sent. */
async function examplesOf(
  path: string,
): Promise<{ readonly id: string; readonly group: string; readonly body: unknown }> {
  const run = { id: "@", group: "", body: BODIES[path] };
  if (path.startsWith("/replays")) return { ...run, ...(await replayExample(path)) };
  if (!path.startsWith("/questions")) return run;
  const asked = { names: ["final"] };
  if (path === "/questions") return { ...run, body: asked };
  const id = await questionOf(asked);
  const { groups } = (await server.ask(`/api/v1/questions/${id}`)).json() as {
    readonly groups: readonly { readonly group: string }[];
  };
  return { id, group: encodeURIComponent(groups[0]?.group ?? ""), body: { kind: "accept" } };
}

/** `r1` was of a terminal; `r2` is begun here, waits after its canary, goes on, and is done. */
async function replayExample(
  path: string,
): Promise<{ readonly id: string; readonly body: unknown }> {
  const body = { question: "", canary: true };
  if (path === "/replays") {
    const extra = { file: "train.ts", line: 18, assignment: "extra = total * 3" };
    return { id: "", body: { ...body, question: await questionOf({ logpoints: [extra] }) } };
  }
  const status = async (): Promise<unknown> => {
    const { replay } = (await server.ask("/api/v1/replays/r2")).json() as {
      readonly replay: Fields;
    };
    return replay["awaits"] ?? replay["status"];
  };
  const wanted = /stop|resume/.test(path) ? "done" : "go";
  await until(async () => (await status()) === wanted);
  return { id: "r2", body: {} };
}

async function questionOf(asked: object): Promise<string> {
  const answer = await server.ask("/api/v1/questions", { method: "POST", body: asked });
  return String(answer.json()["id"]);
}

describe("docs/http.md", () => {
  const text = readFileSync(join(ROOT, "docs/http.md"), "utf8");
  const routes = [
    ...text.matchAll(/^### (GET|POST|PUT) (\S+)\n([\s\S]*?)(?=^##|(?![\s\S]))/gm),
  ].map(([, method = "", path = "", body = ""]) => ({
    method,
    path,
    example: JSON.parse(/```json\n([\s\S]*?)```/.exec(body)?.[1] ?? "") as Fields,
  }));

  test("names every route, and no other", () => {
    const context = { keys: new Keys(), page: undefined } as unknown as RouteContext;
    const own = createRoutes(context).routes.flatMap(({ method, path }) =>
      path.startsWith("/api/v1/") ? [`${method} ${path.replace("/api/v1", "")}`] : [],
    );
    const named = routes.map(({ method, path }) => `${method} ${path.replace(/\?.*/, "")}`);
    expect(named.toSorted()).toEqual(own.toSorted());
    expect(named.length).toBeGreaterThan(6);
  });

  test.each(routes)(
    "$method $path answers with what it says",
    async ({ method, path, example }) => {
      const { id, group, body: own } = await examplesOf(path);
      const body = method === "GET" ? undefined : own;
      const asked = path.replace("since=17", "since=0").replace("f1", "final");
      const address = `/api/v1${asked.replace(":id", id).replace(":group", group)}`;
      let answer: unknown;
      if (path.startsWith("/events")) answer = await server.event(address, "runs");
      else {
        const given = await server.ask(address, { method, body });
        const { status, bytes } = given;
        expect(status).toBe(200);
        if (/^\/(?:columns|series)/.test(path)) {
          const length = bytes.readUInt32LE(0);
          answer = JSON.parse(bytes.subarray(4, 4 + length).toString());
        } else answer = given.json();
      }
      // A run is what `show` tells; the rest is told here to its second level.
      const depth = /^\/(?:runs\/:id|why|questions|replays)/.test(path) ? 1 : 2;
      const shown = (value: unknown): unknown => {
        const { added, changed, ...rest } = value as Fields;
        if (!path.startsWith("/events")) return fieldsOf(value, depth);
        const [row] = [added, changed].flat();
        return [fieldsOf(rest, 2), fieldsOf(row, 1), Array.isArray(added), Array.isArray(changed)];
      };
      expect(shown(answer)).toEqual(shown(example));
    },
  );
});

describe("values", () => {
  test("columns hold what `ls --json` prints, of every run and name", async () => {
    // With it, what was replayed just now is taken in.
    await questionOf({ names: ["final"] });
    const { runs, rows, columns } = (await server.ask("/api/v1/runs")).json() as {
      readonly runs: readonly string[];
      readonly rows: readonly number[];
      readonly columns: readonly {
        readonly name: string;
        readonly kind: string;
        readonly filled: number;
      }[];
    };
    const listed = JSON.parse(
      (await project.afterlog("ls", "--json")).stdout,
    ) as readonly (Fields & {
      readonly args: Fields;
      readonly metrics: Fields;
      readonly origins: Fields;
    })[];
    expect(runs).toEqual(listed.map(({ run }) => run));
    const names = columns.map(({ name }) => encodeURIComponent(name)).join(",");
    const { bytes } = await server.ask(`/api/v1/columns?names=${names}`);
    const decoded = decodeColumns(Uint8Array.from(bytes).buffer);
    for (const [at, run] of listed.entries()) {
      const row = rows[at] ?? 0;
      const cells = new Map(decoded.columns.map((column) => [column.name, column.values[row]]));
      for (const { name, kind } of columns) {
        const own = kind === "fact" ? run : kind === "arg" ? run.args : run.metrics;
        const cell = cells.get(name) ?? null;
        const json = typeof cell === "number" && !Number.isFinite(cell) ? String(cell) : cell;
        // In JSON arguments and logged values stand apart, each by its own name.
        const plain = name.replace(/^(?:arg|log)\./, "");
        expect(json, `${name} of ${String(run["run"])}`).toEqual(own[plain] ?? null);
        const origin = decoded.columns.find((one) => one.name === name)?.origins[row] ?? null;
        const isAsked = kind === "metric" && run.origins[name] !== undefined;
        expect(origin).toBe(isAsked ? run.origins[name] : cell === null ? null : "recorded");
      }
    }
    expect(listed.some(({ origins }) => origins["final"] === "hindsight:verified")).toBe(true);
    for (const { name, filled } of columns) {
      const column = decoded.columns.find((one) => one.name === name);
      expect(column?.origins.filter((origin) => origin !== null).length, name).toBe(filled);
    }
  });

  test("a run is what `show --json` prints, a value what `why` does, and a condition what `ls --where` takes", async () => {
    const { run } = (await server.ask("/api/v1/runs/@")).json();
    expect(run).toEqual(JSON.parse((await project.afterlog("show", "@", "--json")).stdout));
    for (const name of ["accuracy", "log.status"]) {
      const { value } = (await server.ask(`/api/v1/why?run=@&name=${name}`)).json();
      const said = await project.afterlog("why", "@", name.replace("log.", ""), "--json");
      expect(value).toEqual(JSON.parse(said.stdout));
    }
    const where = "lr < 0.15 or accuracy is null";
    const body = { where };
    const { rows } = (await server.ask("/api/v1/filter", { method: "POST", body })).json();
    const listed = JSON.parse(
      (await project.afterlog("ls", "-w", where, "--json")).stdout,
    ) as unknown[];
    expect((rows as unknown[]).length).toBe(listed.length);
  });

  test("a question is what `plan --json` and `where --json` print, under whichever condition", async () => {
    const id = await questionOf({ names: ["final"] });
    // In the environment that the server has.
    const { stdout } = await project.start([MAIN, "plan", "final", "--json"]).finished;
    const { landings: _, ...rest } = JSON.parse(stdout) as Fields;
    const { plan, groups } = (await server.ask(`/api/v1/questions/${id}`)).json() as {
      readonly plan: Fields;
      readonly groups: readonly Fields[];
    };
    expect(plan).toEqual({ ...rest, landings: plan["landings"] });
    const where = JSON.parse((await project.afterlog("where", "final", "--json")).stdout) as Fields;
    const own = groups.map(({ name, group, ...group_ }) => {
      expect([name, group]).toEqual(["final", expect.stringMatching(/^final@\w{40}$/)]);
      return group_;
    });
    expect(own).toEqual(where["groups"]);
    const some = await server.ask(`/api/v1/questions/${id}?where=lr%20%3E%200.15`);
    const runs = (some.json()["plan"] as { readonly runs: unknown[] }).runs;
    expect(runs.length).toBe(1);
    expect(
      (await server.ask(`/api/v1/questions/${id}?where=lr%20%3E`)).json()["error"],
    ).toMatchObject({ code: "AL020" });
  });

  test("an open question takes in what was changed in the working tree and what was decided", async () => {
    const id = await questionOf({});
    const asked = async (): Promise<{ readonly names: string[]; readonly verdicts: unknown[] }> => {
      const { plan, groups } = (await server.ask(`/api/v1/questions/${id}`)).json() as {
        readonly plan: { readonly names: readonly string[] };
        readonly groups: readonly Fields[];
      };
      const verdicts = groups.flatMap(({ name, verdict }) => (name === "best" ? [verdict] : []));
      return { names: plan.names.toSorted(byText), verdicts };
    };
    expect((await asked()).names).toEqual(["final"]);
    project.add("suffix", "outer");
    const now = await asked();
    expect(now.names).toEqual(["best", "final"]);
    expect(now.verdicts.length).toBeGreaterThan(0);
    expect((await project.afterlog("where", "best", "@~1", "--exclude")).code).toBe(0);
    const { verdicts } = await asked();
    expect(verdicts.filter((verdict) => verdict === "cannot").length).toBeGreaterThan(0);
    project.add("suffix");
    expect((await asked()).names).toEqual(["final"]);
  });

  test.each([
    ["/api/v1/questions/nope", "AL080", 404],
    ["/api/v1/replays/r99", "AL050", 404],
    ["/api/v1/replays/..%2fr1", "AL050", 404],
    ["/api/v1/runs/nope", "AL004", 404],
    ["/api/v1/columns?names=acuracy", "AL021", 404],
    ["/api/v1/columns?names=%FF", "AL001", 400],
    [`/api/v1/columns?names=${"a,".repeat(600)}`, "AL001", 400],
    ["/api/v1/nope", "AL080", 404],
    ["/api/v1/../../etc/passwd", null, 404],
    ["/assets/..%2f..%2fpackage.json", "AL080", 404],
  ])("%s is an error with a help line", async (path, code, status) => {
    const answer = await server.ask(path);
    if (path.includes("passwd")) {
      // It is an address of the page, like any other.
      expect(answer.text).toMatch(/<title>afterlog/);
      return;
    }
    const { error } = answer.json() as { readonly error: Fields };
    expect({ status: answer.status, code: error["code"] }).toEqual({ status, code });
    expect((error["help"] as unknown[]).length).toBeGreaterThan(0);
  });

  test.each([
    "lr <",
    "(select count(*) from read_text('/etc/hostname')) > 0",
    "1 = 1) union select run from runs where (1 = 1",
    "lr < 1; copy (select 1) to '/tmp/afterlog-ui-trap.csv'",
  ])("the condition %j is refused", async (where) => {
    const answer = await server.ask("/api/v1/filter", { method: "POST", body: { where } });
    expect(answer.status).toBe(400);
    expect(answer.json()["error"]).toMatchObject({ code: "AL020" });
    expect(existsSync("/tmp/afterlog-ui-trap.csv")).toBe(false);
  });
});

describe("who may ask", () => {
  test.each<[string, number, string, Parameters<UiServer["ask"]>[1]]>([
    ["by its token", 200, "/api/v1/project", {}],
    ["through a tunnel", 200, "/api/v1/project", { headers: { host: "localhost:9999" } }],
    ["without a secret", 401, "/api/v1/project", { isUnknown: true }],
    ["without a secret, for the page", 401, "/runs", { isUnknown: true }],
    ["by a wrong token", 401, "/api/v1/project", { headers: { authorization: "Bearer no" } }],
    ["by a wrong cookie", 401, "/", { isUnknown: true, headers: { cookie: "afterlog_0=1" } }],
    ["by a link that was not given", 401, "/open?k=00", { isUnknown: true }],
    ["by a name that leads here", 403, "/api/v1/project", { headers: { host: "evil.example:80" } }],
    ["by a name that begins alike", 403, "/", { headers: { host: "127.0.0.1.evil.example" } }],
    ["by another page", 403, "/api/v1/project", { headers: { origin: "http://evil.example" } }],
    ["by a page of another port", 403, "/", { headers: { origin: "http://127.0.0.1:1" } }],
    ["by a page without an origin", 403, "/", { headers: { origin: "null" } }],
    [
      "to change something without the header",
      403,
      "/api/v1/links",
      { method: "POST", headers: { "x-afterlog": "0" } },
    ],
  ])("asked %s: %i", async (_, status, path, asked) => {
    const answer = await server.ask(path, asked);
    expect(answer.status).toBe(status);
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("a link opens the page once, by a cookie that scripts do not see", async () => {
    const { path } = (await server.ask("/api/v1/links", { method: "POST" })).json();
    const opened = await server.ask(String(path), { isUnknown: true });
    expect(opened.status).toBe(303);
    const [cookie = ""] = opened.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/^afterlog_\w{8}=\w{64}; Path=\/; HttpOnly; SameSite=Strict$/);
    const headers = { cookie: cookie.split(";")[0] ?? "" };
    expect((await server.ask("/runs", { isUnknown: true, headers })).status).toBe(200);
    expect((await server.ask(String(path), { isUnknown: true })).status).toBe(401);
    expect(server.fileMode).toBe("600");
  });
});

describe("a server", () => {
  test("begins at the next free port, and says where it is to a second one", async () => {
    using other = new TestProject();
    const busy = createServer().listen(0, "127.0.0.1");
    await until(() => busy.listening);
    const { port } = busy.address() as { port: number };
    await using first = await UiServer.start(other, "--port", String(port));
    busy.close();
    expect(first.port).toBeGreaterThan(port);
    // Nothing was recorded: it has made nothing.
    expect(existsSync(other.store)).toBe(false);
    const second = await project.start([MAIN, "ui", "--no-open"]).finished;
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toMatch(/^the page is served already, by another process: {2}http/);
    const [link = ""] = /http\S+/.exec(second.stdout) ?? [];
    expect(link.startsWith(server.origin)).toBe(true);
    const opened = await server.ask(link.slice(server.origin.length), { isUnknown: true });
    expect(opened.status).toBe(303);
  });

  test("leaves the index to other commands", async () => {
    const { code, stderr } = await project.start([MAIN, "-v", "ls"]).finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lsof = readdirSync(`/proc/${server.process.child.pid}/fd`);
    expect(lsof.length).toBeGreaterThan(0);
  });

  test("leaves nothing when it is ended, and a folder for temporary files when it is killed", async () => {
    using own = new TestProject();
    own.copyFrom(project);
    rmSync(join(own.store, "ui.json"), { force: true });
    const before = readdirSync(own.store).toSorted();
    const first = await UiServer.start(own);
    const { folder } = first.file;
    expect(folder.startsWith(join(tmpdir(), "afterlog-ui-"))).toBe(true);
    const { code, stderr } = await first.end();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(own.store).toSorted()).toEqual(before);

    const second = await UiServer.start(own);
    const left = second.file.folder;
    await second.end("SIGKILL");
    expect(existsSync(left)).toBe(true);
    expect(readdirSync(own.store).sort(byText)).toEqual([...before, "ui.json"].sort(byText));
    expect((await own.afterlog("ls")).code).toBe(0);
    await using third = await UiServer.start(own);
    expect(existsSync(left)).toBe(false);
    expect(third.isAnnounced).toBe(true);
  });
});
