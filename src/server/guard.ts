/**
 * @file Who may ask: the person who started the server, from this machine, through the page that it
 * gave out.
 *
 * A page of another origin cannot read answers, but it can send requests, and with a name that leads to
 * 127.0.0.1 it is of our origin: so the host and the origin are compared with what ours can be, and
 * everything needs a secret. The browser gets it once, by the link that `afterlog ui` prints, as a cookie
 * that scripts do not see; programs read it from `ui.json`, which only its owner can.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { AfterlogError } from "../format/index.ts";

/** By any port: an SSH tunnel has its own. */
const HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
/** A link is opened at once, or asked for again. */
const LINKS_MAX = 20;

export const PAGE_POLICY: string =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
  "media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The secrets of one server. */
export class Keys {
  /** Of programs: `Authorization: Bearer …`. */
  readonly token: string = randomBytes(32).toString("hex");
  /** Browsers keep cookies by host, whatever the port: each server's has a name of its own. */
  readonly cookieName: string = `afterlog_${randomBytes(4).toString("hex")}`;
  readonly #cookie = randomBytes(32).toString("hex");
  readonly #links: string[] = [];

  /** A key that opens the page once. */
  newLink(): string {
    const key = randomBytes(16).toString("hex");
    this.#links.push(key);
    if (this.#links.length > LINKS_MAX) this.#links.shift();
    return key;
  }

  /** Gives the browser its cookie if the key is one that nobody has used yet. */
  open(context: Context, key: string): boolean {
    const at = this.#links.indexOf(key);
    if (at < 0) return false;
    this.#links.splice(at, 1);
    setCookie(context, this.cookieName, this.#cookie, {
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
    });
    return true;
  }

  isKnown(context: Context): boolean {
    const cookie = getCookie(context, this.cookieName);
    if (cookie !== undefined && isSame(cookie, this.#cookie)) return true;
    const [, bearer] = /^Bearer (\S+)$/.exec(context.req.header("authorization") ?? "") ?? [];
    return bearer !== undefined && isSame(bearer, this.token);
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

/** Why a request is not answered, and with which status. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly error: AfterlogError;
}

/** Sets the headers that hold for every answer, and lets `refuse` answer what may not pass. */
export function guard(
  keys: Keys,
  refuse: (context: Context, refusal: Refusal) => Response,
): MiddlewareHandler {
  return async (context, next) => {
    const refusal = refusalOf(keys, context);
    if (refusal) context.res = refuse(context, refusal);
    else await next();
    const { headers } = context.res;
    headers.set("content-security-policy", PAGE_POLICY);
    headers.set("x-content-type-options", "nosniff");
    headers.set("referrer-policy", "no-referrer");
    headers.set("cross-origin-resource-policy", "same-origin");
    headers.set("cross-origin-opener-policy", "same-origin");
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  };
}

function refusalOf(keys: Keys, context: Context): Refusal | undefined {
  const host = context.req.header("host") ?? "";
  const origin = context.req.header("origin");
  if (!HOSTS.has(host.replace(/:\d+$/, "")))
    return refusal(403, `the address ${host} is not this machine's own`);
  if (origin !== undefined && origin !== `http://${host}`)
    return refusal(403, `a page of ${origin} may not ask here`);
  if (context.req.method === "GET" && context.req.path === "/open") return undefined;
  if (!keys.isKnown(context)) return refusal(401, "the page was not opened by its link");
  const isRead = ["GET", "HEAD"].includes(context.req.method);
  if (!isRead && context.req.header("x-afterlog") !== "1")
    return refusal(403, "a request that is no GET needs the header  X-Afterlog: 1");
  return undefined;
}

function refusal(status: Refusal["status"], message: string): Refusal {
  const help = "open the page by the link that this prints:  afterlog ui";
  return { status, error: new AfterlogError("AL080", message, { help: [help] }) };
}
