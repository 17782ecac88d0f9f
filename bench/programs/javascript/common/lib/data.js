let seed = 55;
function random() {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647;
}

module.exports.friedman = function friedman(count) {
  const rows = [];
  const targets = [];
  for (let n = 0; n < count; n++) {
    const x = Array.from({ length: 8 }, random);
    rows.push(x);
    targets.push(
      10 * Math.sin(Math.PI * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4],
    );
  }
  return { rows, targets };
};
