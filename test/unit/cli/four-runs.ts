/** @file Two usual runs, one that logs everything, and a replay. */
import { makeRun, OVERHEAD, trainingRun } from "../../support/make-runs.ts";

export function makeFourRuns(store: string): void {
  makeRun(store, trainingRun("train-0001", { epochs: 2, steps: 2, lr: 0.1 }));
  makeRun(store, {
    ...trainingRun("train-0002", { epochs: 2, steps: 2, lr: 0.01 }),
    manifest: {
      name: "best",
      warnings: ["the disk is slow"],
      off: [{ feature: "checkpoints", why: "disk full" }],
    },
  });
  makeRun(store, {
    run: "odd-0003",
    status: "failed",
    manifest: { exitCode: 3, overhead: { ...OVERHEAD, share: 0.2 } },
    body: (log) => {
      log.arg("lr", 0.5);
      log.arg("optimizer", "adam");
      log.loop("fold", ["a", "b"], () => {
        log.loop("try", { start: 10, step: 5, length: 2 }, (at) =>
          log.log("my score", at === 0 ? NaN : Infinity),
        );
        log.log("select", true);
      });
      log.loop("fold", ["c"], () => log.log("big", 2n ** 70n));
      log.log("epoch", "not a loop here");
      log.log("run", 1);
      log.log("note", "line\tone\nline two");
    },
  });
  makeRun(store, {
    run: "replay-0004",
    manifest: { kind: "replay", parent: "train-0001" },
    body: (log) => {
      log.loop("epoch", 2, (epoch) => log.log("f1_ped", epoch / 4, { check: "verified" }));
      log.log("loss", 99);
    },
  });
}
