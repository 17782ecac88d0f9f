// A walk of a tree, by a loop in a function that calls itself.
function make(d) {
  return { v: d, kids: d === 0 ? [] : [make(d - 1), make(d - 1)] };
}
const root = make(16);
function sum(n) {
  let s = n.v;
  for (const k of n.kids) s += sum(k);
  return s;
}
let total = 0;
for (let epoch = 0; epoch < Number(process.argv[2]); epoch++) {
  total += sum(root);
  console.log("epoch", epoch, "total", total);
}
