const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

function build(rows, targets, depth) {
  if (depth === 0 || rows.length < 4) return { value: mean(targets) };
  let best = { gain: -1 };
  for (let feature = 0; feature < rows[0].length; feature++) {
    const order = rows.map((row, i) => [row[feature], targets[i]]).sort((a, b) => a[0] - b[0]);
    const total = targets.reduce((a, b) => a + b, 0);
    let left = 0;
    for (let k = 1; k < order.length; k++) {
      left += order[k - 1][1];
      const gain = left ** 2 / k + (total - left) ** 2 / (order.length - k);
      if (gain > best.gain) best = { gain, feature, threshold: order[k][0] };
    }
  }
  const isLeft = rows.map((row) => row[best.feature] < best.threshold);
  const part = (list, side) => list.filter((_, i) => isLeft[i] === side);
  if (isLeft.every(Boolean) || !isLeft.some(Boolean)) return { value: mean(targets) };
  return {
    feature: best.feature,
    threshold: best.threshold,
    left: build(part(rows, true), part(targets, true), depth - 1),
    right: build(part(rows, false), part(targets, false), depth - 1),
  };
}

function evaluate(node, row) {
  if ("value" in node) return node.value;
  return evaluate(row[node.feature] < node.threshold ? node.left : node.right, row);
}

module.exports = { build, evaluate };
