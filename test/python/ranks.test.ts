/** A training of two processes, as a launcher starts them: the first records, and nobody repeats it alone. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestProject } from "../run/harness.ts";
import { python, TORCH } from "./harness.ts";

const PROGRAM = `
import sys
import torch
import torch.distributed as dist
import afterlog as al

rank, ranks = int(sys.argv[1]), 2
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=ranks)
torch.manual_seed(rank)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in al.loop("epoch", range(3)):
    loss = model(torch.randn(4, 2)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    al.log("rank", rank)
`;

test.skipIf(TORCH === undefined)("two ranks", async () => {
  using project = new TestProject({ "train.py": PROGRAM });
  const ranks = [0, 1].map((rank) => {
    const argv = ["train.py", String(rank), join(project.folder, "node_modules/rendezvous")];
    const env = { RANK: String(rank), LOCAL_RANK: String(rank), WORLD_SIZE: "2" };
    return python(project, TORCH ?? "", argv, { ...env, AFTERLOG_OVERHEAD: "inf" });
  });
  const [first, second] = await Promise.all(ranks);
  expect([first?.code, second?.code], `${first?.stderr}${second?.stderr}`).toEqual([0, 0]);
  expect(first?.stderr).toContain("afterlog: run train-");
  expect(second?.stderr).toContain("rank 1 of this training records nothing; rank 0 does");
  expect(readdirSync(join(project.folder, ".afterlog/runs"))).toHaveLength(1);
  expect(project.manifest).toMatchObject({ ranks: 2, status: "done" });
  expect(project.logged("rank")).toEqual([0, 0, 0]);

  const why = "it was one of 2 processes that trained together";
  const asked = ["--at", "train.py:17", "norm = loss.item()"];
  for (const words of [
    ["plan", ...asked],
    ["replay", "-y", ...asked],
    ["check"],
    ["fork", "@end"],
  ]) {
    const { stdout, stderr } = await project.afterlog(...words);
    expect(stdout + stderr, words[0]).toContain(why);
  }
});
