/**
 * A stand-in for a checkpoint file, and the loop that the training programs here share.
 * Phases: `full` trains without a checkpoint, `watch` captures at every step, `save` stops in the
 * middle and captures, `resume` begins anew, with other initial values, restores and goes on.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { capture, identify, moduleResolver, restore } from "../../../build/adapters/index.js";

export const [phase, folder] = process.argv.slice(2);
const STEPS = 9;
const STOP = 4;

/** Initial values differ between phases: what is not restored shows in the losses. */
export const seed = phase === "resume" ? 77 : 5;

export function random(start) {
  let state = start;
  return () => (state = (state * 16807) % 2147483647) / 2147483647 - 0.5;
}

function placesOf(record) {
  return Object.keys(record).map((field) => ({
    key: `d0.${field}`,
    source: "a",
    get: () => record[field],
    set: (value) => {
      record[field] = value;
    },
  }));
}

function save(file, places, entry) {
  const { graph, entry: numbers, leaves } = capture(places, entry);
  const tensors = {};
  for (const leaf of leaves) {
    const bytes = new Uint8Array(leaf.bytes);
    leaf.copyTo(bytes);
    tensors[leaf.name] = Buffer.from(bytes).toString("base64");
  }
  writeFileSync(file, JSON.stringify({ graph: { ...graph, entry: numbers }, tensors }));
}

function load(file, places) {
  const { graph, tensors } = JSON.parse(readFileSync(file, "utf8"));
  restore(places, graph, (name) => Buffer.from(tensors[name], "base64"), {
    modules: moduleResolver(import.meta.filename),
  });
}

/** Runs `step(i)` as the phase says and gives what it returned. */
export function train(name, record, step) {
  const file = `${folder}/${name}.json`;
  const places = placesOf(record);
  const entry = identify(places);
  const losses = [];
  let i = 0;
  if (phase === "resume") {
    load(file, places);
    i = STOP;
  }
  for (; i < STEPS; i++) {
    if (phase === "save" && i === STOP) {
      save(file, places, entry);
      break;
    }
    if (phase === "watch") save(`${file}.${i}`, places, entry);
    losses.push(step(i));
  }
  return losses;
}
