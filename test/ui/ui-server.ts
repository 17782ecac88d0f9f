/** @file `afterlog ui` as a process, and requests to it. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { ServerFile } from "../../src/server/index.ts";
import { until } from "./until.ts";
import type { Finished, Started } from "../support/process.ts";
import type { TestProject } from "../support/project.ts";
import { MAIN } from "../support/project.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<{ [name: string]: string | string[] | undefined }>;
  readonly bytes: Buffer;
  readonly text: string;
  json(): Readonly<{ [name: string]: unknown }>;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<{ [name: string]: string }>;
  readonly body?: unknown;
  /** Without the token. */
  readonly isUnknown?: boolean;
}

type Served = Pick<TestProject, "store" | "start">;

export class UiServer {
  readonly project: Served;
  readonly process: Started;
  readonly origin: string;
  readonly link: string;

  private constructor(project: Served, started: Started, said: { origin: string; link: string }) {
    this.project = project;
    this.process = started;
    this.origin = said.origin;
    this.link = said.link;
  }

  /** At a port that is free, unless one is named. */
  static async start(project: Served, ...argv: readonly string[]): Promise<UiServer> {
    const port = argv.includes("--port") ? [] : ["--port", "0"];
    const started = project.start([MAIN, "ui", "--no-open", "--json", ...port, ...argv]);
    let said = "";
    started.child.stdout?.on("data", (text: string) => (said += text));
    await until(() => said.includes("\n") || started.child.exitCode !== null);
    if (!said.includes("\n")) throw new Error((await started.finished).stderr);
    return new UiServer(project, started, JSON.parse(said) as { origin: string; link: string });
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  get file(): ServerFile {
    return JSON.parse(readFileSync(this.filePath, "utf8")) as ServerFile;
  }

  get filePath(): string {
    return join(this.project.store, "ui.json");
  }

  /** Its mode, as `600`. */
  get fileMode(): string {
    return (statSync(this.filePath).mode & 0o777).toString(8);
  }

  get isAnnounced(): boolean {
    return existsSync(this.filePath);
  }

  /** A request by a program, of which the test may choose every header. */
  ask(
    path: string,
    { method = "GET", headers = {}, body, isUnknown = false }: Asked = {},
  ): Promise<Answer> {
    const secret = isUnknown ? {} : { authorization: `Bearer ${this.file.token}` };
    const own = { ...secret, ...(method === "GET" ? {} : { "x-afterlog": "1" }), ...headers };
    return new Promise((done, failed) => {
      const asked = request(this.origin + path, { method, headers: own }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => {
          const bytes = Buffer.concat(parts);
          const text = bytes.toString();
          const json = (): ReturnType<Answer["json"]> =>
            JSON.parse(text) as ReturnType<Answer["json"]>;
          done({ status: answer.statusCode ?? 0, headers: answer.headers, bytes, text, json });
        });
      });
      asked.on("error", failed);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The first event of a kind; the rest is not waited for. */
  event(path: string, kind: string): Promise<Readonly<{ [name: string]: unknown }>> {
    const headers = { authorization: `Bearer ${this.file.token}` };
    return new Promise((done, failed) => {
      const asked = request(this.origin + path, { headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          const [, data] =
            new RegExp(`event: ${kind}\\n(?:id: \\d+\\n)?data: (.*)\\n`).exec(
              text.replaceAll(/data: (.*)\nid: (\d+)\n/g, "id: $2\ndata: $1\n"),
            ) ?? [];
          if (data === undefined) return;
          done(JSON.parse(data) as Readonly<{ [name: string]: unknown }>);
          asked.destroy();
        });
      });
      asked.on("error", failed);
      asked.end();
    });
  }

  end(signal: NodeJS.Signals = "SIGINT"): Promise<Finished> {
    this.process.child.kill(signal);
    return this.process.finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that is killed leaves its folder.
    const { exitCode, signalCode } = this.process.child;
    if (exitCode === null && signalCode === null) await this.end();
  }
}
