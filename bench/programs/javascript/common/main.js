//: about CommonJS over several files: linear regression and a forest of stumps, configured by JSON
//: quick --rounds 30
//: full --rounds 620
const { Boosting } = require("./lib");
const { friedman } = require("./lib/data");
const config = require("./config.json");

const rounds = Number(process.argv[3] ?? 4);
const data = friedman(config.samples);
const model = new Boosting(config.rate);
for (let round = 0; round < rounds; round++) {
  const error = model.grow(data, config.depth);
  //: ask outer leaves = model.trees.length * model.residuals[5]
  console.log("round", round, "error", error);
}
//: ask suffix guess = model.predict(data.rows[0])
console.log("first", model.predict(data.rows[1]));
