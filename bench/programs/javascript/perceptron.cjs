//: about logistic regression by hand, arrays of numbers, a generator of its own
//: quick 40
//: full 400
let seed = 12345;
function random() {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed / 2147483648;
}

const size = 20;
const xs = Array.from({ length: 4000 }, () => Array.from({ length: size }, () => random() - 0.5));
const ys = xs.map((x) => (x[0] * 2 - x[3] + x[7] * x[7] > 0 ? 1 : 0));
const weights = new Float64Array(size);
const epochs = Number(process.argv[2]);

for (let epoch = 0; epoch < epochs; epoch++) {
  let loss = 0;
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i];
    let z = 0;
    for (let k = 0; k < size; k++) z += weights[k] * x[k];
    const p = 1 / (1 + Math.exp(-z));
    //: ask step probability = p where epoch = 3 and i = 17
    for (let k = 0; k < size; k++) weights[k] += 0.05 * (ys[i] - p) * x[k];
    loss -= Math.log(ys[i] === 1 ? p : 1 - p);
  }
  console.log("epoch", epoch, "loss", loss / xs.length);
  //: ask outer first = weights[0]
}
//: ask suffix norm = Math.hypot(...weights)
console.log("done");
