const tree = require("./tree");

exports.Boosting = class Boosting {
  constructor(rate) {
    this.rate = rate;
    this.trees = [];
    this.residuals = null;
  }

  grow({ rows, targets }, depth) {
    this.residuals ??= targets.slice();
    const grown = tree.build(rows, this.residuals, depth);
    this.trees.push(grown);
    let sum = 0;
    for (let i = 0; i < rows.length; i++) {
      this.residuals[i] -= this.rate * tree.evaluate(grown, rows[i]);
      sum += this.residuals[i] ** 2;
      //: ask step residual = this.residuals[i] where round = 2 and i = 11 when this.trees.length === 3 && i === 11
    }
    return sum / rows.length;
  }

  predict(row) {
    return this.trees.reduce((sum, one) => sum + this.rate * tree.evaluate(one, row), 0);
  }
};
