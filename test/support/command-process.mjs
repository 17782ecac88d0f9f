/**
 * @file Executes commands one after the other, each as if `afterlog …` had been started, without a
 * new process for each: it imports the command line anew every time, and what that imports stays.
 */
const [node, , main] = process.argv;
let printed = { out: "", err: "" };

for (const [stream, part] of [
  [process.stdout, "out"],
  [process.stderr, "err"],
]) {
  // Each import listens for a reader that goes away.
  stream.setMaxListeners(0);
  stream.write = (text, encoding, written) => {
    printed[part] += text;
    const done = typeof encoding === "function" ? encoding : written;
    if (done) process.nextTick(done);
    return true;
  };
}

let count = 0;
process.on("message", async (argv) => {
  printed = { out: "", err: "" };
  process.argv = [node, main, ...argv];
  process.exitCode = 0;
  count += 1;
  await import(`${main}?${count}`);
  process.send({ code: process.exitCode, ...printed });
  process.exitCode = 0;
});
