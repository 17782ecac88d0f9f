/**
 * @file Executes commands one after the other, each as if `afterlog …` had been started, without a
 * new process for each: it imports the command line anew every time, and what that imports stays.
 */
const [node, , main] = process.argv;
let printed = { stdout: [], stderr: [] };

for (const part of ["stdout", "stderr"]) {
  const stream = process[part];
  // Each import listens for a reader that goes away.
  stream.setMaxListeners(0);
  stream.write = (text, encoding, written) => {
    printed[part].push(Buffer.from(text));
    const done = typeof encoding === "function" ? encoding : written;
    if (done) process.nextTick(done);
    return true;
  };
}

let count = 0;
process.on("message", async ({ argv, cwd, env, isTTY = false }) => {
  printed = { stdout: [], stderr: [] };
  process.argv = [node, main, ...argv];
  process.exitCode = 0;
  process.stdout.isTTY = isTTY;
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  count += 1;
  await import(`${main}?${count}`);
  const { stdout, stderr } = printed;
  process.send({
    code: process.exitCode,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  });
  process.exitCode = 0;
});
