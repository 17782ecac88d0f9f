/**
 * @file Runs before the program under `afterlog run`: begins the run, so that even a program that
 * fails to load leaves one, and installs the loader that lets Node 20 run TypeScript.
 */
import { register } from "node:module";
import { isMainThread, MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { current, directive, onSources } from "./current.ts";
import { showTerminal } from "./terminal.ts";

/** What the loader sends for each project file that it loads. */
interface LoadedSource {
  readonly file: string;
  readonly sha256: string;
}

const given = directive();
if (isMainThread && given) {
  const { port1, port2 } = new MessageChannel();
  const data = {
    port: port2,
    root: given.root,
    afterlog: new URL("./index.js", import.meta.url).href,
  };
  register(given.hooks, { data, transferList: [port2] });
  port1.unref();
  onSources(() => {
    const sources: { [file: string]: string } = {};
    for (;;) {
      const received: { message: LoadedSource } | undefined = receiveMessageOnPort(port1);
      if (!received) return sources;
      sources[received.message.file] = received.message.sha256;
    }
  });
  process.setSourceMapsEnabled(true);
  showTerminal(given.terminal);
  current();
}
