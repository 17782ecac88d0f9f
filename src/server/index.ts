/** The project over HTTP on this machine, for the page in the browser. `docs/http.md` is the contract. */
export { startServer } from "./start-server.ts";
export { findServer } from "./server-file.ts";
export type { ServerFile } from "./server-file.ts";
