/**
 * @file Modules that lie on no disk: a file of JSON that is imported like any other, and the names that
 * CommonJS gives to a file (`require`, `__dirname`), which TypeScript may use beside `import`.
 */
import { dirname } from "node:path";

/** Begins the address of a module with the names of CommonJS for one file. */
export const COMMONJS_NAMES = "afterlog-commonjs:";
export const MENTIONED: RegExp = /\b(?:require|module|__dirname|__filename)\b/;

/**
 * What `require` gives is the default, so that all who load the file have the same object; its keys
 * are names.
 */
export function jsonModule(text: string): string {
  const head =
    'import{createRequire}from"node:module";import{fileURLToPath}from"node:url";' +
    "const data=createRequire(import.meta.url)(fileURLToPath(import.meta.url));export default data;";
  const names = keysOf(text).map((key, index) => {
    const quoted = JSON.stringify(key);
    return `const k${index}=data[${quoted}];export{k${index} as ${quoted}};`;
  });
  return head + names.join("");
}

function keysOf(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    // A lone half of a pair is no name.
    return Object.keys(value).filter((key) => key !== "default" && key.isWellFormed());
  } catch {
    // Who requires it says what is wrong with it.
    return [];
  }
}

/** The names, as they are in a file; the program is the main module. */
export function commonJsNames(url: string): string {
  const file = decodeURIComponent(url.slice(COMMONJS_NAMES.length));
  const [quoted, folder] = [JSON.stringify(file), JSON.stringify(dirname(file))];
  return (
    'import{createRequire}from"node:module";import{realpathSync}from"node:fs";' +
    `export const __filename=${quoted},__dirname=${folder},require=createRequire(__filename),` +
    "module={id:__filename,filename:__filename,path:__dirname,exports:{},children:[],require};" +
    "try{if(realpathSync(process.argv[1])===__filename)require.main=module}catch{}"
  );
}
