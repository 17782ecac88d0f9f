/**
 * What an unchanged program logs by a library (TensorBoard, W&B, MLflow): stand-ins with the real
 * ones' calls. The run has what the library was told; a call that is added, and a key in the dict of
 * one that was there, is a question; no replay tells anybody.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, costOf } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { INTERPRETERS, python } from "../support/python.ts";
import { TestProject } from "../support/project.ts";
import { standIns } from "../support/stand-ins.ts";

const [PYTHON = ""] = INTERPRETERS;

interface LoggerProgram {
  /** `#+ ` begins a line that is added to ask, and `{+ … +}` what is added to a line. */
  readonly text: string;
  readonly asked: readonly string[];
  /** What the library was told, as it keeps it: by name, in order. */
  told: (project: TestProject) => readonly (readonly [name: string, value: number])[];
}

const HEAD = 'import sys\nsys.path.insert(0, "site-packages")\n';

const TENSORBOARD = `${HEAD}from tensorboardX import SummaryWriter


class Net:
    def __init__(self):
        self.w = 0.5

    def step(self):
        loss = (self.w - 3) ** 2
        self.w -= 0.1 * (self.w - 3)
        return loss


class Trainer:
    def __init__(self):
        self.net, self.writer, self.step = Net(), SummaryWriter("logs/one"), 0

    def train(self):
        for epoch in range(4):
            for batch in range(5):
                self.writer.add_scalar("train/loss", self.net.step(), self.step)
                self.step += 1
            #+ self.writer.add_scalar("twice", self.net.w * 2, epoch)
            self.writer.add_scalars("w", {"one": self.net.w, "half": self.net.w / 2{+, "third": self.net.w / 3+}}, epoch)
            self.writer.flush()


trainer = Trainer()
trainer.train()
trainer.writer.add_text("done", "yes")
#+ trainer.writer.add_scalar("last", trainer.net.w + 1)
trainer.writer.close()
`;

const WANDB = `${HEAD}import wandb

w = 0.5
run = wandb.init(project="p", config={"lr": 0.1})
for epoch in range(4):
    for batch in range(5):
        loss = (w - 3) ** 2
        w -= 0.1 * (w - 3)
        wandb.log({"train/loss": loss})
    metrics = {"val": w * 2}
    #+ run.log({"twice": w * 2})
    run.log({**metrics, "half": w / 2{+, "third": w / 3+}}, step=epoch)
#+ wandb.log(dict(last=w + 1))
wandb.finish()
`;

const MLFLOW = `${HEAD}import os
import mlflow

mlflow.set_tracking_uri(os.environ["TRACKING"])
w = 0.5
with mlflow.start_run():
    mlflow.log_param("lr", 0.1)
    for epoch in range(4):
        for batch in range(5):
            loss = (w - 3) ** 2
            w -= 0.1 * (w - 3)
            mlflow.log_metric("train_loss", loss)
        #+ mlflow.log_metric("twice", w * 2)
        mlflow.log_metrics({"half": w / 2{+, "third": w / 3+}}, step=epoch)
    #+ mlflow.log_metric("last", w + 1)
`;

let requests: { readonly url: string; readonly body: string }[] = [];

const PROGRAMS: { readonly [name: string]: LoggerProgram } = {
  "TensorBoard's SummaryWriter": {
    text: TENSORBOARD,
    asked: ["twice", "w/third", "last"],
    told: ({ folder }) => {
      const [file = ""] = readdirSync(join(folder, "logs/one"));
      const lines = readFileSync(join(folder, "logs/one", file), "utf8")
        .trimEnd()
        .split("\n");
      const events = lines.map((line) => JSON.parse(line) as { tag: string; value: number });
      return events.map(({ tag, value }) => [tag, value] as const);
    },
  },
  "W&B": {
    text: WANDB,
    asked: ["twice", "third", "last"],
    told: () =>
      requests
        .filter(({ url }) => url === "/log")
        .flatMap(({ body }) => Object.entries((JSON.parse(body) as { data: object }).data)),
  },
  MLflow: {
    text: MLFLOW,
    asked: ["twice", "third", "last"],
    told: () =>
      requests.flatMap(({ url, body }): [string, number][] => {
        if (url.endsWith("/log-batch")) {
          return Object.entries((JSON.parse(body) as { metrics: object }).metrics);
        }
        if (!url.endsWith("/log-metric")) return [];
        const { key, value } = JSON.parse(body) as { key: string; value: number };
        return [[key, value]];
      }),
  },
};

const before = (text: string): string =>
  text.replaceAll(/^ *#\+ .*\n/gm, "").replaceAll(/\{\+.*?\+\}/g, "");
const after = (text: string): string =>
  text.replaceAll("#+ ", "").replaceAll(/\{\+(.*?)\+\}/g, "$1");

describe("loggers of libraries", needs("python"), () => {
  let server: Server;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        requests.push({ url: request.url ?? "", body: Buffer.concat(parts).toString() });
        response.end("{}");
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    env = { WANDB_BASE_URL: url, TRACKING: url };
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    requests = [];
  });

  test.each(Object.entries(PROGRAMS))("%s", { timeout: 300_000 }, async (_, program) => {
    const files = (text: string): Record<string, string> => ({
      "train.py": text,
      ".gitignore": "site-packages\n",
      ...standIns(),
    });
    using plain = new TestProject(files(after(program.text)));
    const reference = await python(plain, PYTHON, ["train.py"], { ...env, AFTERLOG_MODE: "off" });
    expect(reference).toMatchObject({ code: 0, stderr: "" });
    const truth = program.told(plain);

    requests = [];
    using project = new TestProject(files(before(program.text)));
    const argv = ["run", "--overhead", "inf", "--seed", "7", "train.py"];
    const { code, stderr } = await project.afterlogWith(env, ...argv);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    const told = program.told(project);
    const recorded = project.records.flatMap((one) =>
      one.k === "log" ? [[one.name, one.value] as const] : [],
    );
    expect(recorded).toEqual(told.filter(([, value]) => typeof value === "number"));
    expect(project.manifest.audit ?? []).toEqual([]);

    const sent = requests.length;
    project.write("train.py", after(program.text));
    for (const name of program.asked) {
      const answer = await ask(project, [name], { env });
      expect(answer.code, answer.stderr).toBe(0);
      const values = truth.filter(([one]) => one === name).map(([, value]) => value);
      expect(answer.cells.map(({ value }) => Number(value))).toEqual(values);
      // Nothing is compared behind the loops, and not every program can be shown to compute only.
      const promised = name === "last" ? /^(?:verified|restored|unchecked)$/ : /^verified$/;
      for (const { check } of answer.cells) expect(check).toMatch(promised);
      expect(costOf(answer).share, costOf(answer).notes.join("; ")).toBe(0);
    }
    expect(requests.slice(sent)).toEqual([]);
  });
});
