// @ts-check
/**
 * @file Another job on the same disk: writes the file that it is given over and over, each piece
 * durable before the next, until it is killed.
 */
import { fdatasyncSync, openSync, writeSync } from "node:fs";

const PIECE_BYTES = 16 << 20;
const FILE_BYTES = 256 << 20;

const fd = openSync(process.argv[2] ?? "", "w");
const piece = new Uint8Array(PIECE_BYTES).fill(1);
for (let at = 0; ; at = (at + PIECE_BYTES) % FILE_BYTES) {
  writeSync(fd, piece, 0, PIECE_BYTES, at);
  fdatasyncSync(fd);
}
