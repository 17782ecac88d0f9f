/**
 * @file What looks like a secret (a private key, a token) by its name or by what it holds. Such a file is
 * neither kept in a version nor sent, unless the user has put it into git or has named it in
 * `record.not_secret` (decision 0090). `python/afterlog/store/version_secrets.py` is the twin;
 * `test/fixtures/secrets.json` holds both together.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { resolveSettings } from "../../format/index.ts";
import { ownEnvironment } from "../../host/index.ts";
import { readSettingsFile } from "../settings-file.ts";
import { isProgram } from "./version-files.ts";
import type { RawPath } from "./version-git.ts";
import { filePath, rawToText, statRaw } from "./version-git.ts";

/** Why a file that is named so is taken for a secret, by the last part of its path. */
const NAMES: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\.env(?:rc|[._-].*)?$/i, "a file of environment variables"],
  [/^id_[^.]*$|^id_(?:rsa|dsa|ecdsa|ed25519)[\w-]*\.(?!pub$).*$/i, "a private key"],
  [/\.(?:pem|p12|pfx|jks|keystore|ppk)$/i, "a private key"],
  [/^\.?credentials|^application_default_credentials|^client_secret/i, "credentials"],
  [/^[._]netrc$|^\.(?:git-credentials|pgpass|pypirc|htpasswd)$|^kaggle\.json$/i, "credentials"],
];
/** What is there to be filled in. */
const TEMPLATE = /(?:^|[._-])(?:example|sample|template|dist|defaults?)(?:[._-]|$)/i;

/**
 * Why a text is taken for one that holds a secret. The words before the pattern are looked for first: finding
 * none of them in a text costs next to nothing.
 */
const CONTENTS: readonly (readonly [words: readonly string[], pattern: RegExp, what: string])[] = [
  [["PRIVATE KEY"], /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/, "a private key"],
  [["AKIA", "ASIA"], /\b(?:AKIA|ASIA)(?![A-Z2-7]{9}EXAMPLE)[A-Z2-7]{16}\b/, "a key of AWS"],
  [
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/,
    "a token of GitHub",
  ],
  [["github_pat_"], /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/, "a token of GitHub"],
  [["glpat-"], /\bglpat-[\w-]{20,}/, "a token of GitLab"],
  [["hf_"], /\bhf_[A-Za-z0-9]{34,}\b/, "a token of Hugging Face"],
  [["sk-"], /\bsk-(?:proj|svcacct|admin|ant)-[\w-]{20,}|\bsk-[A-Za-z0-9]{48}\b/, "an API key"],
  [["T3BlbkFJ"], /\bsk-[\w-]{10,}T3BlbkFJ[\w-]{10,}/, "a key of OpenAI"],
  [["wandb_v1_"], /\bwandb_v1_[\w-]{20,}/, "a key of W&B"],
  [
    ["WANDB_API_KEY"],
    /WANDB_API_KEY["']?\]?\s{0,4}[=:,]\s{0,4}["']?[0-9a-f]{40}\b/,
    "a key of W&B",
  ],
  [["wandb.login"], /wandb\.login\([^)\n]{0,80}["'][0-9a-f]{40}["']/, "a key of W&B"],
  [
    ["api.wandb.ai"],
    /api\.wandb\.ai\s{1,80}login\s{1,8}\S{1,80}\s{1,80}password\s{1,8}[0-9a-f]{40}/,
    "a key of W&B",
  ],
  [["xox"], /\bxox[abeprs]-[A-Za-z0-9-]{20,}/, "a token of Slack"],
  [["AIza"], /\bAIza[\w-]{35}\b/, "a key of Google"],
  [["sk_live_", "rk_live_"], /\b[rs]k_live_[A-Za-z0-9]{20,}/, "a key of Stripe"],
  [["npm_"], /\bnpm_[A-Za-z0-9]{36}\b/, "a token of npm"],
  [["pypi-AgEIcHlwaS5vcmc"], /\bpypi-AgEIcHlwaS5vcmc[\w-]{50,}/, "a token of PyPI"],
];

/** A run waits for it. Larger files were not written by hand; what is left is looked at when it is sent. */
const LOOKED_BYTES_MAX = 1_000_000;
const LOOKED_SUM_MAX = 32_000_000;
const LOOKED_FILES_MAX = 2000;
/** Files that a message names. */
const SHOWN = 5;

/** What a file looks like by its name; a program may be called anything. */
export function secretByName(path: RawPath): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (isProgram(name) || TEMPLATE.test(name)) return undefined;
  return NAMES.find(([pattern]) => pattern.test(name))?.[1];
}

/** What the bytes of a file, as latin1, hold; nothing in one that is no text. */
export function secretInText(text: string): string | undefined {
  return possibleIn(text).find(([, pattern]) => pattern.test(text))?.[2];
}

/** All that a text holds, each with what it looks like. */
export function secretsInText(text: string): Map<string, string> {
  const found = possibleIn(text).flatMap(([, pattern, what]) => {
    return [...text.matchAll(new RegExp(pattern, "g"))].map(([secret]) => [secret, what] as const);
  });
  return new Map(found);
}

function possibleIn(text: string): typeof CONTENTS {
  if (text.slice(0, 8000).includes("\0")) return [];
  return CONTENTS.filter(([words]) => words.some((word) => text.includes(word)));
}

/** A file, and what it looks like. */
export interface FoundSecret {
  readonly path: RawPath;
  readonly what: string;
}

/** Which of these files of a working tree look like secrets. Links hold no text of their own. */
export function findSecrets(workTree: string, paths: readonly RawPath[]): FoundSecret[] {
  let left = LOOKED_SUM_MAX;
  let files = LOOKED_FILES_MAX;
  return paths.flatMap((path) => {
    const stat = statRaw(workTree, path);
    if (!stat?.isFile()) return [];
    const named = secretByName(path);
    if (named !== undefined) return [{ path, what: named }];
    const bytes = Math.min(stat.size, LOOKED_BYTES_MAX);
    if (bytes > left || files === 0) return [];
    left -= bytes;
    files -= 1;
    const what = secretInText(beginningOf(filePath(workTree, path), bytes));
    return what === undefined ? [] : [{ path, what }];
  });
}

function beginningOf(path: Buffer, bytes: number): string {
  try {
    const file = openSync(path, "r");
    try {
      const read = Buffer.allocUnsafe(bytes);
      return read.toString("latin1", 0, readSync(file, read, 0, bytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    // Git says so.
    return "";
  }
}

/** Those that the user has not named in `record.not_secret`; `folder`: the project's in the tree, or `""`. */
export function withoutNamed<Secret extends FoundSecret>(
  found: readonly Secret[],
  project: { readonly root: string; readonly folder: string },
): Secret[] {
  // The file of settings is not read for nothing.
  if (found.length === 0) return [];
  const file = readSettingsFile(project.root);
  const { value } = resolveSettings({ env: ownEnvironment, file }).settings["record.not_secret"];
  const named = (value ?? "").split(",").map((one) => one.trim());
  const patterns = named.filter((one) => one !== "").map(patternOf);
  return found.filter(({ path }) => {
    const own = ownPath(rawToText(path), project.folder);
    return !patterns.some((pattern) => pattern.test(own));
  });
}

/** `*` stands for anything. */
function patternOf(named: string): RegExp {
  const parts = named.replace(/^\.\//, "").split("*");
  const escaped = parts.map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${escaped.join(".*")}$`, "s");
}

/** The other files. */
export function withoutSecrets(
  paths: readonly RawPath[],
  found: readonly FoundSecret[],
): readonly RawPath[] {
  const secret = new Set(found.map(({ path }) => path));
  return paths.filter((path) => !secret.has(path));
}

/** What a user is told once, with the way out where one is none. */
export function describeSecrets(found: readonly FoundSecret[], folder: string): string[] {
  if (found.length === 0) return [];
  const files = found.map(({ path, what }) => `${rawToText(path)} (${what})`);
  const listed = files.length > SHOWN ? [...files.slice(0, SHOWN), "…"] : files;
  const said = found.length === 1 ? "looks like a secret: it is" : "look like secrets: they are";
  const help = `if one is none:  ${notSecretLine(ownPaths(found, folder))}`;
  return [
    `${listed.join(", ")} ${said} neither kept nor sent, and replays take what lies there; ${help}`,
  ];
}

/** As `record.not_secret` names them. */
export function ownPaths(found: readonly FoundSecret[], folder: string): string[] {
  return found.map(({ path }) => ownPath(rawToText(path), folder));
}

/** The line of `afterlog.toml` that names these files. */
export function notSecretLine(paths: readonly string[]): string {
  return `not_secret = "${[...new Set(paths)].join(", ")}"  in [record] of afterlog.toml`;
}

/** A path of the tree as it is from the project's folder in it. */
function ownPath(path: string, folder: string): string {
  if (path.startsWith(folder)) return path.slice(folder.length);
  return "../".repeat(folder.split("/").length - 1) + path;
}
