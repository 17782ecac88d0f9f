//: about classes over several files of TypeScript, found by paths of tsconfig.json
//: quick --epochs 150
//: full --epochs 4000
import { Trainer } from "@core/trainer";
import { Sequential } from "@core/model";
import { Linear, Tanh } from "@core/layers";
import { spirals } from "@data/spirals";
import config from "./config.json";
import type { Batch } from "@data/types";

const epochs = Number(process.argv[3] ?? 3);
const model = new Sequential([
  new Linear(2, config.hidden, 1),
  new Tanh(),
  new Linear(config.hidden, 3, 2),
]);
const data: readonly Batch[] = spirals(config.points, config.batch);
const trainer = new Trainer(model, config.rate);

for (let epoch = 0; epoch < epochs; epoch++) {
  const { loss, accuracy } = trainer.epoch(data);
  //: ask outer weight = model.parameters()[0]!.value[3]
  console.log(`epoch ${epoch} loss ${loss} accuracy ${accuracy}`);
}
//: ask suffix steps = trainer.steps
console.log("norm", model.norm());
