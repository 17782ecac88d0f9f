//: about k-means++ with several restarts
//: quick --restarts 6
//: full --restarts 560
const restarts = Number(process.argv[3] ?? 3);

function mulberry(a) {
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const random = mulberry(42);
const K = 8;
const DIMENSIONS = 16;
const points = Array.from({ length: 6000 }, (_, n) =>
  Float64Array.from({ length: DIMENSIONS }, (_unused, d) => ((n * (d + 1)) % K) + random()),
);

const distance = (a, b) => {
  let sum = 0;
  for (let d = 0; d < DIMENSIONS; d++) sum += (a[d] - b[d]) ** 2;
  return sum;
};

function initialCenters() {
  const centers = [points[Math.floor(random() * points.length)].slice()];
  while (centers.length < K) {
    const weights = points.map((p) => Math.min(...centers.map((c) => distance(p, c))));
    let target = random() * weights.reduce((a, b) => a + b);
    let index = 0;
    while (target > weights[index]) target -= weights[index++];
    centers.push(points[index].slice());
  }
  return centers;
}

let best = { inertia: Infinity, centers: [] };
for (let restart = 0; restart < restarts; restart++) {
  const centers = initialCenters();
  const labels = new Int32Array(points.length);
  let inertia = Infinity;
  for (let round = 0; round < 25; round++) {
    let sum = 0;
    for (const [n, point] of points.entries()) {
      let nearest = Infinity;
      for (const [k, center] of centers.entries()) {
        const d = distance(point, center);
        if (d < nearest) [nearest, labels[n]] = [d, k];
      }
      sum += nearest;
    }
    const counts = new Int32Array(K);
    for (const center of centers) center.fill(0);
    for (const [n, point] of points.entries()) {
      counts[labels[n]]++;
      for (let d = 0; d < DIMENSIONS; d++) centers[labels[n]][d] += point[d];
    }
    for (const [k, center] of centers.entries()) {
      for (let d = 0; d < DIMENSIONS; d++) center[d] /= counts[k] || 1;
    }
    //: ask step cluster = counts[3] where restart = 1 and round = 2
    if (inertia - sum < 1e-9 * sum) break;
    inertia = sum;
  }
  if (inertia < best.inertia) best = { inertia, centers };
  //: ask outer first = centers[0][0]
  console.log("restart", restart, "inertia", inertia);
}
//: ask suffix centre = best.centers[K - 1][DIMENSIONS - 1]
console.log("best", best.inertia);
