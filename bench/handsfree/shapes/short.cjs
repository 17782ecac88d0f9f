// A million quick iterations, and a short loop that calls a package and is entered very often.
const { format } = require("node:util");
function parts(n) {
  let s = 0;
  for (const part of [n, n + 1, n + 2]) s += Number(format("%d", part));
  return s;
}
let total = 0;
for (let epoch = 0; epoch < Number(process.argv[2]); epoch++) {
  for (let i = 0; i < 1_000_000; i++) total = (total + i * epoch) % 1_000_003;
  for (let j = 0; j < 50_000; j++) total += parts(j);
  console.log("epoch", epoch, "total", total);
}
