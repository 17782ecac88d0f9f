//: about word2vec: skip-grams with negative sampling, typed arrays
//: quick --epochs 2
//: full --epochs 110
const epochs = Number(process.argv[3] ?? 2);

let seed = 31;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;

const NOUNS = ["king", "queen", "man", "woman", "boy", "girl", "dog", "cat"];
const VERBS = ["sees", "likes", "hears", "finds"];
const PLACES = ["house", "garden", "forest", "castle", "street"];
const pick = (list) => list[Math.floor(random() * list.length)];
const corpus = [];
for (let n = 0; n < 1500; n++) {
  corpus.push("the", pick(NOUNS), pick(VERBS), "the", pick(NOUNS), "in", "a", pick(PLACES));
}

const counts = new Map();
for (const word of corpus) counts.set(word, (counts.get(word) ?? 0) + 1);
const vocabulary = [...counts.keys()];
const indices = new Map(vocabulary.map((word, index) => [word, index]));
const unigrams = vocabulary.flatMap((word, index) =>
  Array.from({ length: Math.ceil(counts.get(word) ** 0.75) }, () => index),
);

const SIZE = 24;
const table = (scale) =>
  vocabulary.map(() => Float32Array.from({ length: SIZE }, () => scale * (random() - 0.5)));
const inputs = table(1 / SIZE);
const outputs = table(0);
const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const dot = (a, b) => {
  let sum = 0;
  for (let d = 0; d < SIZE; d++) sum += a[d] * b[d];
  return sum;
};

function trainPair(center, context, rate) {
  const v = inputs[center];
  const gradient = new Float32Array(SIZE);
  let loss = 0;
  for (let n = 0; n <= 5; n++) {
    const target = n === 0 ? context : unigrams[Math.floor(random() * unigrams.length)];
    const label = n === 0 ? 1 : 0;
    const u = outputs[target];
    const p = sigmoid(dot(v, u));
    loss -= Math.log(label ? p : 1 - p);
    for (let d = 0; d < SIZE; d++) {
      gradient[d] += (p - label) * u[d];
      u[d] -= rate * (p - label) * v[d];
    }
  }
  for (let d = 0; d < SIZE; d++) v[d] -= rate * gradient[d];
  return loss;
}

const similarity = (a, b) => {
  const [x, y] = [inputs[indices.get(a)], inputs[indices.get(b)]];
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
};

for (let epoch = 0; epoch < epochs; epoch++) {
  const rate = 0.05 * (1 - epoch / epochs);
  let loss = 0;
  let pairs = 0;
  for (let position = 0; position < corpus.length; position++) {
    const reach = 1 + Math.floor(random() * 4);
    for (let other = position - reach; other <= position + reach; other++) {
      if (other === position || other < 0 || other >= corpus.length) continue;
      loss += trainPair(indices.get(corpus[position]), indices.get(corpus[other]), rate);
      pairs++;
    }
    //: ask step vector = inputs[3][0] where epoch = 1 and position = 500
  }
  //: ask outer cats = similarity("cat", "dog")
  console.log(`epoch ${epoch} loss ${loss / pairs} pairs ${pairs}`);
}
//: ask suffix royal = similarity("king", "queen")
console.log("man woman", similarity("man", "woman"));
