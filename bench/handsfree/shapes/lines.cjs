// Prints in every iteration.
let x = 0;
for (let step = 0; step < Number(process.argv[2]); step++) {
  x = x * 0.999 + 1;
  console.log("step", step, "x", x);
}
