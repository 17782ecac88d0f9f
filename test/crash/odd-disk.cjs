/**
 * @file A disk with moods, for `--require`: `ODD_DISK=short` takes a part of every write, `never`
 * does not come back from the third write of a checkpoint's data, `EIO` fails the third sync.
 * In every thread, since Node reads NODE_OPTIONS for each.
 */
"use strict";
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const mood = process.env.ODD_DISK;
const { write, writeSync, fdatasyncSync } = fs;
const PAGE = 4096;

/** A part of a write: whole pages, which O_DIRECT insists on, or some bytes. */
function part(bytes) {
  return bytes > PAGE ? Math.floor(bytes / 2 / PAGE) * PAGE || PAGE : Math.ceil(bytes / 2);
}

/** Of an aligned page only all of it can be written directly. */
function shorter(bytes) {
  return bytes % PAGE === 0 && bytes <= PAGE ? bytes : part(bytes);
}

if (mood === "short") {
  fs.write = (fd, buffer, offset, length, position, callback) =>
    write(fd, buffer, offset, shorter(length), position, callback);
  fs.writeSync = (fd, data, ...rest) => {
    if (typeof data === "string") return writeSync(fd, data, ...rest);
    const [offset = 0, length = data.byteLength - offset, position = null] = rest;
    return writeSync(fd, data, offset, shorter(length), position);
  };
}
if (mood === "never") {
  let writes = 0;
  fs.write = (...args) => (++writes >= 3 ? undefined : write(...args));
}
if (mood === "EIO") {
  let syncs = 0;
  fs.fdatasyncSync = (fd) => {
    if (++syncs >= 3) throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
    fdatasyncSync(fd);
  };
}
syncBuiltinESMExports();
