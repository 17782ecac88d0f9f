/**
 * What people add to a program to see more, asked of an older version in which names are others and
 * `evaluate` is another function: all that was added together lands together. The truth is the older
 * program with the question put in by hand.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hindsight } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { History } from "../versions/history.ts";
import { after, before } from "./programs.ts";
import { LANDING_PROGRAMS, older, otherwise } from "./older-programs.ts";

describe.each(LANDING_PROGRAMS)("$file", needs("python"), (program) => {
  const { file, asks } = program;
  const past = { ...program, text: older(program) };
  let truth: History;
  let recorded: History;

  beforeAll(async () => {
    truth = new History();
    await truth.record({ files: { [file]: after(past) }, program: file });
    recorded = new History();
    await recorded.record({ files: { [file]: before(past) }, program: file });
    await recorded.record({ files: { [file]: before(program) }, program: file });
    recorded.put({ [file]: otherwise(program) });
  });

  afterAll(() => {
    truth[Symbol.dispose]();
    recorded[Symbol.dispose]();
  });

  test.each([...program.alone.map((name) => [name]), asks])("%s", async (...names) => {
    using history = new History();
    history.copyFrom(recorded);
    const { code, stdout, stderr } = await history.afterlog("replay", ...names, "--yes");
    expect(code, stderr + stdout).toBe(0);
    for (const name of names) {
      const own = await hindsight(history, [name], recorded.names[0]);
      expect(own.map(({ value }) => Number(value))).toEqual(truth.logged(name).map(Number));
      const marks = [...new Set(own.map(({ check }) => check))];
      // Behind the last loop no state is compared any more.
      expect(marks, name).toEqual([name === "ask_seen" ? "unchecked" : "verified"]);
    }
  });
});
