/** Trainings as a launcher starts them: of several processes the first records, and is not repeated alone. */
import { readdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Finished } from "../support/process.ts";
import { TestProject } from "../support/project.ts";
import { python, TORCH } from "../support/python.ts";
import { needs } from "../support/needs.ts";

const PROGRAM = `
import torch
import torch.distributed as dist
import afterlog as al

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in al.loop("epoch", range(3)):
    loss = model(torch.randn(4, 2)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    al.log("rank", dist.get_rank())
    al.log("loss", loss.item())
`;

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

/** As `torchrun` starts them. */
async function train(project: TestProject, count: number): Promise<Finished[]> {
  const shared = { MASTER_ADDR: "127.0.0.1", MASTER_PORT: String(await freePort()) };
  const ranks = Array.from({ length: count }, (_, rank) => {
    const env = { RANK: String(rank), LOCAL_RANK: String(rank), WORLD_SIZE: String(count) };
    const options = { ...shared, ...env, AFTERLOG_OVERHEAD: "inf" };
    return python(project, TORCH ?? "", ["train.py"], options);
  });
  const ended = await Promise.all(ranks);
  expect(ended.map(({ code, stderr }) => (code === 0 ? "" : stderr))).toEqual(ranks.map(() => ""));
  return ended;
}

const ASKED = ["--at", "train.py:16", "twice = 2 * loss.item()"];

test("of two ranks the first records, for readers only", needs("torch"), async () => {
  using project = new TestProject({ "train.py": PROGRAM });
  const [first, second] = await train(project, 2);
  expect(first?.stderr).toContain("afterlog: run train-");
  expect(second?.stderr).toContain("rank 1 of this training records nothing; rank 0 does");
  expect(readdirSync(join(project.folder, ".afterlog/runs"))).toHaveLength(1);
  expect(project.manifest).toMatchObject({ ranks: 2, status: "done" });
  expect(project.logged("rank")).toEqual([0, 0, 0]);

  for (const words of [["replay", "-y", ...ASKED], ["check"], ["fork", "@@end"]]) {
    const { stdout, stderr } = await project.afterlog(...words);
    expect(stdout + stderr, words[0]).toContain("it was one of 2 processes that trained together");
  }
});

test("one rank alone is replayed without its launcher", needs("torch"), async () => {
  using project = new TestProject({ "train.py": PROGRAM });
  await train(project, 1);
  const losses = project.logged("loss") as number[];
  const replayed = await project.afterlog("replay", "-y", ...ASKED);
  expect(replayed.stdout + replayed.stderr).toContain("3 verified");
  const { stdout } = await project.afterlog("frame", "twice", "--json");
  const rows = JSON.parse(stdout) as { readonly twice: number }[];
  expect(rows.map(({ twice }) => twice)).toEqual(losses.map((loss) => 2 * loss));
});
