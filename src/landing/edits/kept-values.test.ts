/** What a question keeps from one iteration to the next, set before the loops and used in them. */
import { beforeAll, describe, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { editBetween } from "./align.ts";
import { pieceFor } from "./piece.ts";

beforeAll(() => prepareLanguages(["a.py", "a.mjs"]));

/** What stands before the loops, and in them. */
type Row = readonly [before: string, inLoop: string];

const KEEPS: { readonly [file: string]: readonly Row[] } = {
  "a.mjs": [
    ["const acc = [];", "w.note(acc);\n  console.log('q', acc.length);"],
    ["var prev;", "console.log('q', eval('prev'));\n  prev = t;"],
    ["const re = /1/g;", "console.log('q', re.test(t) ? re.lastIndex : -1);"],
    ["function tick() { return (tick.n = (tick.n ?? 0) + 1); }", "console.log('q', tick());"],
    ["", "globalThis.n = (globalThis.n ?? 0) + 1;\n  console.log('q', globalThis.n);"],
    ["const tk = { n: 0, get next() { return ++this.n; } };", "console.log('q', tk.next);"],
    ["let n = 0; const tk = { valueOf() { return ++n; } };", "console.log('q', tk * 2);"],
    [
      "class Tk { #n = 0; toString() { return ++this.#n; } }\nconst tk = new Tk();",
      "console.log('q', `${tk}`);",
    ],
    ["class Id { static n = 0; id = ++Id.n; }", "console.log('q', new Id().id);"],
    ["const acc = [];", "Array.prototype.push.call(acc, t);\n  console.log('q', acc.length);"],
    ["const acc = { n: 0 };", "({ n: acc.n } = { n: acc.n + 1 });\n  console.log('q', acc.n);"],
    ["const acc = {};", "for (acc['k' + t] in w) t;\n  console.log('q', Object.keys(acc).length);"],
    ["const a = [], b = [];", "(t > 1 ? a : b).push(t);\n  console.log('q', a.length);"],
    ["let last = 0; const cb = (v) => { last = v; };", "cb?.(t);\n  console.log('q', last);"],
    ["const draw = ((s) => () => (s = (s * 7) % 11))(5);", "console.log('q', draw());"],
    ["const box = [0];", "Reflect.set(box, 0, box[0] + 1);\n  console.log('q', box[0]);"],
    ["const st = { n: 0 }; function inc() { return ++this.n; }", "console.log('q', inc.call(st));"],
    [
      "let best = 9; const track = (v) => { if (v < best) best = v; return best; };",
      "console.log('q', track(t));",
    ],
    [
      "const memo = new Map(); const f = (k) => { if (!memo.has(k)) memo.set(k, t); return memo.get(k); };",
      "console.log('q', f(1));",
    ],
    // In files, and in what else outlives an iteration.
    [
      "import fs from 'node:fs';",
      "fs.appendFileSync('q.txt', `${t}\\n`);\n  console.log('q', fs.readFileSync('q.txt', 'utf8').length);",
    ],
    [
      "import { existsSync, readFileSync, writeFileSync } from 'node:fs';",
      "const d = existsSync('q.json') ? JSON.parse(readFileSync('q.json')) : [];\n  d.push(t);\n  writeFileSync('q.json', JSON.stringify(d));\n  console.log('q', d.length);",
    ],
    ["", "process.env.N = Number(process.env.N ?? 0) + 1;\n  console.log('q', process.env.N);"],
    ["", "w.n = (w.n ?? 0) + 1;\n  console.log('q', w.n);"],
    ["", "w.most = Math.max(w.most ?? 0, t);\n  console.log('q', w.most);"],
    ["", "if (w.n === undefined) w.n = t;\n  console.log('q', w.n);"],
    ["", "Object.assign(w, { n: (w.n ?? 0) + 1 });\n  console.log('q', w.n);"],
    ["", "net.n = (net.n ?? 0) + 1;\n  console.log('q', net.n);"],
    // Methods whose names others have for what changes nothing, or that the question gives its own objects.
    ["const seen = new Set();", "console.log('q', seen.add(t).size);"],
    [
      "const seen = new Set();",
      "const k = seen.has(t) ? 0 : seen.add(t).size;\n  console.log('q', k);",
    ],
    ["const seen = new Set(); const note = (x) => seen.add(x).size;", "console.log('q', note(t));"],
    [
      "class Mean { v = []; mean(x) { this.v.push(x); return this.v.length; } }\nconst m = new Mean();",
      "console.log('q', m.mean(t));",
    ],
    [
      "class Seen { #v = new Set(); add(x) { this.#v.add(x); return this; } get n() { return this.#v.size; } }\nconst m = new Seen();",
      "console.log('q', m.add(t).n);",
    ],
    ["import { Mean } from './mean.mjs';\nconst m = new Mean();", "console.log('q', m.mean(t));"],
    [
      "const m = { v: [], max(x) { this.v.push(x); return this.v.length; } };",
      "console.log('q', m.max(t));",
    ],
    ["const l = [];", "[t].forEach(Array.prototype.unshift, l);\n  console.log('q', l.length);"],
    [
      "const p = new Proxy({}, { get: (s, k) => (s[k] = (Reflect.get(s, k) ?? 0) + 1) });",
      "console.log('q', p.n);",
    ],
    // What is set where it was not.
    ["", "w.first ??= t;\n  console.log('q', w.first);"],
    ["", "(w.all ||= []).push(t);\n  console.log('q', w.all.length);"],
    ["", "for (const x of net.layers) x.first ??= t;\n  console.log('q', net.layers[0].first);"],
    ["", "w.left -= t;\n  console.log('q', w.left);"],
    // By a key that is computed, and by what is read of a whole object.
    ["", "const k = 'n';\n  w[k] = (w[k] ?? 0) + 1;\n  console.log('q', w[k]);"],
    ["", "if (t === 1) w[2] = t;\n  console.log('q', w[2] ?? -1);"],
    ["", "w.w[2] = t;\n  console.log('q', w.w.length);"],
    ["", "w[`n${1}`] ??= t;\n  console.log('q', w.n1);"],
    ["", "[w['n']] = [(w['n'] ?? 0) + 1];\n  console.log('q', w.n);"],
    ["", "({ t: w.n } = { t: (w.n ?? 0) + 1 });\n  console.log('q', w.n);"],
    ["", "for (const x of w.layers) { x.n = 0 + (x.n ?? t); }\n  console.log('q', w.layers[0].n);"],
    ["", "let row = []; row = w.w;\n  row[t] = 1;\n  console.log('q', row.length);"],
    ["", "console.log('q', Object.keys(w).length);\n  w.extra = t;"],
    ["", "console.log('q', JSON.stringify(w).length);\n  w.extra = t;"],
    ["", "console.log('q', w.size());\n  w.extra = t;"],
    ["", "const own = w;\n  console.log('q', { ...own }.extra);\n  w.extra = t;"],
    ["", "w.push(t);\n  console.log('q', w.length);"],
    [
      "",
      "const k = w.seen.has(t) || w.seen.set(t, t);\n  w.seen.set(t, 1);\n  console.log('q', w.seen.size);",
    ],
    // A name of the loop's function keeps its value where an iteration does not surely set it first.
    ["", "var prev;\n  console.log('q', t - (prev ?? 0));\n  prev = t;"],
    ["", "if (t === 1) var at = t;\n  console.log('q', at ?? -1);"],
    ["", "var best = best === undefined ? t : Math.max(best, t);\n  console.log('q', best);"],
    ["", "var h; h ??= [];\n  h.push(t);\n  console.log('q', h.length);"],
    ["", "try { var c = c + 1 || 1; } catch {}\n  console.log('q', c);"],
    ["", "try { net(t); var d = t; } catch {}\n  console.log('q', d);"],
    ["", "for (var k of w) t;\n  console.log('q', k);"],
    ["", "switch (t) { case 1: var z = t; }\n  console.log('q', z);"],
    ["", "t > 1 && (u = t);\n  var u;\n  console.log('q', u);"],
    ["", "var { n = n ?? t } = w;\n  console.log('q', n);"],
    ["", "if (t > 1) { console.log('q', e); }\n  var e = t;"],
    ["", "var f = () => (g = (g ?? 0) + 1), g;\n  console.log('q', f());"],
    ["", "for (const x of w) { if (x > 1) continue; var y = x; }\n  console.log('q', y);"],
    ["", "var x; x = [t].map((v) => (x ?? 0) + v)[0];\n  console.log('q', x);"],
    ["", "for (const x of w) var y = x;\n  console.log('q', y);"],
    ["", "for (var a = 0, last; a < 2; last = a, a++) { console.log('q', last ?? -1); }"],
    ["", "end: { if (t) break end; var d = t; }\n  console.log('q', d);"],
    ["", "while (t < 0) { var z = t; }\n  console.log('q', z);"],
    ["", "if (t) var a = 1; else var b = 2;\n  console.log('q', a);"],
    ["", "if (t > 2) { var g = 1; } else if (t) { g = 2; }\n  console.log('q', g);"],
    ["", "import.meta.n = (import.meta.n ?? 0) + 1;\n  console.log('q', import.meta.n);"],
  ],
  "a.py": [
    ["seen = set()", "seen.add(t)\n    print('q', len(seen))"],
    ["seen = set()\ndef note(x):\n    seen.add(x)\n    return len(seen)", "print('q', note(t))"],
    [
      "class Mean:\n    def __init__(self):\n        self.v = []\n    def mean(self, x):\n        self.v.append(x)\n        return len(self.v)\nm = Mean()",
      "print('q', m.mean(t))",
    ],
    [
      "class Seen:\n    v = set()\n    def add(self, x):\n        self.v.add(x)\n        return self\nm = Seen()",
      "print('q', len(m.add(t).v))",
    ],
    ["from mean import Mean\nm = Mean()", "print('q', m.mean(t))"],
    ["", "w.left -= t\n    print('q', w.left)"],
    [
      "",
      "with open('q.txt', 'a') as f:\n        f.write(f'{t}\\n')\n    print('q', len(open('q.txt').readlines()))",
    ],
    ["", "open('q.txt', mode='a').write('x')\n    print('q', os.path.getsize('q.txt'))"],
    [
      "import json, pathlib",
      "p = pathlib.Path('q.json')\n    d = json.loads(p.read_text()) if p.exists() else []\n    d.append(t)\n    p.write_text(json.dumps(d))\n    print('q', max(d))",
    ],
    [
      "import os, pickle",
      "old = pickle.load(open('p', 'rb')) if os.path.exists('p') else w\n    print('q', w[0] - old[0])\n    pickle.dump(w, open('p', 'wb'))",
    ],
    [
      "import os, torch",
      "if t > 1:\n        torch.save(w, 'best.pt')\n    print('q', os.path.exists('best.pt'))",
    ],
    [
      "import os",
      "os.environ['N'] = str(int(os.environ.get('N', 0)) + 1)\n    print('q', os.environ['N'])",
    ],
    [
      "import shelve",
      "s = shelve.open('s')\n    s['n'] = s.get('n', 0) + 1\n    print('q', s['n'])",
    ],
    [
      "import sqlite3",
      "db = sqlite3.connect('s.db')\n    db.execute('insert into a values (1)')\n    print('q', db.execute('select count(*) from a').fetchone()[0])",
    ],
    ["import math", "math.n = getattr(math, 'n', 0) + 1\n    print('q', math.n)"],
    ["", "w.n = getattr(w, 'n', 0) + 1\n    print('q', w.n)"],
    ["", "half.n = getattr(half, 'n', 0) + 1\n    print('q', half.n)"],
    ["", "w.most = max(w.most if hasattr(w, 'most') else 0, t)\n    print('q', w.most)"],
    ["", "if not hasattr(w, 'n'):\n        w.n = 0\n    w.n += 1\n    print('q', w.n)"],
    ["", "setattr(w, 'n', getattr(w, 'n', 0) + 1)\n    print('q', w.n)"],
    ["", "vars(w)['n'] = vars(w).get('n', 0) + 1\n    print('q', w.n)"],
    ["", "w.__dict__['n'] = w.__dict__.get('n', 0) + 1\n    print('q', w.n)"],
    ["def total(v, seen=[]):\n    seen.append(v)\n    return sum(seen)", "print('q', total(t))"],
    ["import heapq\nbest = []", "heapq.heappush(best, t)\n    print('q', best[0])"],
    ["import operator\nacc = [0]", "operator.iadd(acc, [t])\n    print('q', len(acc))"],
    [
      "import numpy as np\ncounts = np.zeros(4)",
      "np.add.at(counts, 1, 1)\n    print('q', counts.sum())",
    ],
    ["hist = []", "list(map(hist.append, [t]))\n    print('q', len(hist))"],
    ["perms = permutations([1, 2])", "for p in perms:\n        break\n    print('q', p)"],
    [
      "def g():\n    while True:\n        yield 1\nit = g()",
      "for v in it:\n        break\n    print('q', v)",
    ],
    ["hist = np.zeros(6)", "row = hist[2:]\n    row += t\n    print('q', hist.sum())"],
    ["it = iter([1, 2, 3])", "print('q', next(it))"],
    ["", "print('q', t - globals().get('prev', t))\n    prev = t"],
    ["", "print('q', eval('prev') if t > 1 else 0)\n    prev = t"],
    ["", "print('q', getattr(sys.modules[__name__], 'prev', t))\n    prev = t"],
    ["n = 0\ndef bump():\n    global n\n    n = 7\n    return n", "print('q', bump())"],
    [
      "def tick():\n    tick.n = getattr(tick, 'n', 0) + 1\n    return tick.n",
      "print('q', tick())",
    ],
    [
      "def counter():\n    n = 0\n    def step():\n        nonlocal n\n        n += 1\n        return n\n    return step\nc = counter()",
      "print('q', c())",
    ],
    [
      "class Id:\n    n = 0\n    def __init__(self):\n        Id.n += 1",
      "Id()\n    print('q', Id.n)",
    ],
    [
      "class Meter:\n    def __init__(self):\n        self.s = 0\n    def add(self, v):\n        self.s += v\n        return self.s\nm = Meter()",
      "print('q', m.add(t))",
    ],
    ["own = random.Random(3)", "print('q', own.random())"],
    ["", "if t == 1:\n        at = t\n    print('q', at if t else -1)"],
    ["", "try:\n        c = c + 1\n    except NameError:\n        c = 1\n    print('q', c)"],
    ["", "if t:\n        print('q', t - prev)\n    prev = t"],
    ["", "for k in w[t:]:\n        k + 1\n    print('q', k)"],
    ["", "for k in w[t:]:\n        k + 1\n    else:\n        print('q', k)"],
    ["", "t > 0 and (m := t)\n    print('q', m if t else 0)"],
    ["", "[m := v for v in w[t:]]\n    print('q', m)"],
    ["", "if (m := m + 1 if t else 0) > 1:\n        print('q', m)"],
    ["", "best = t if t == 0 else max(best, t)\n    print('q', best)"],
    ["", "with suppress(KeyError):\n        d = net(t)\n    print('q', d)"],
    [
      "def note(v):\n    global last\n    if v:\n        print('q', v - last)\n    last = v",
      "note(t)",
    ],
    ["", "if t == 1:\n        w.w[2] = t\n    print('q', len(w.w))"],
    ["", "k = 'n'\n    setattr(w, k, t)\n    print('q', len(vars(w)))"],
    ["", "print('q', len(w.__dict__))\n    w.__dict__['n'] = t"],
    ["", "print('q', len(w))\n    w[t] = t"],
    ["", "if t == 1:\n        w.append(t)\n    print('q', len(w))"],
    ["", "w.seen.add(t)\n    print('q', len(w.seen))"],
    ["", "print('q', len(vars(w)))\n    w.extra = t"],
    ["", "object.__setattr__(w, 'n', getattr(w, 'n', 0) + 1)\n    print('q', w.n)"],
    ["seen = {}", "print('q', seen.setdefault('a', t))"],
    // Functions that a decorator gives away, and that remember.
    [
      "outs = []\n@net.register_forward_hook\ndef keep(m, i, o):\n    outs.append(t)",
      "print('q', sum(outs))",
    ],
    ["mx = 0\n@on('step')\ndef keep(v):\n    global mx\n    mx = max(mx, v)", "print('q', mx)"],
    [
      "st = {'n': 0}\n@torch.no_grad()\n@net.each\ndef keep(v):\n    st['n'] += v",
      "print('q', st['n'])",
    ],
    [
      "import functools\n@functools.lru_cache(None)\ndef base():\n    return w[0]",
      "print('q', w[0] - base())",
    ],
    [
      "from functools import cache\n@cache\ndef base():\n    return w[0]",
      "print('q', w[0] - base())",
    ],
  ],
};

const KEEPS_NOTHING: { readonly [file: string]: readonly Row[] } = {
  "a.mjs": [
    ["const first = [...w];", "console.log('q', w[0] - first[0]);"],
    ["const probe = make(3);", "console.log('q', net(probe));"],
    [
      "const mean = (a) => { let s = 0; for (const x of a) s += x; return s / a.length; };",
      "console.log('q', mean(w));",
    ],
    [
      "function norm(a) { let s = 0; a.forEach((x) => { s += x * x; }); return Math.sqrt(s); }",
      "console.log('q', norm(w));",
    ],
    ["const names = ['a', 'b'];", "console.log('q', names.indexOf('a') + t);"],
    [
      "import fs from 'node:fs';",
      "fs.writeFileSync('q.txt', `${t}`);\n  console.log('q', fs.statSync('q.txt').size);",
    ],
    ["import fs from 'node:fs';", "fs.appendFileSync('q.txt', `${t}`);\n  console.log('q', t);"],
    ["", "w.most = t;\n  console.log('q', w.most);"],
    ["const first = new Float64Array(w);", "console.log('q', first.at(0) + first.indexOf(t));"],
    ["const m = new Map([[0, 1]]);", "console.log('q', m.get(t) ?? m.size);"],
    ["const lr = { at: (x) => x / 2 };", "console.log('q', lr.at(t));"],
    ["", "var half = t / 2;\n  console.log('q', half);"],
    ["", "var half;\n  half = t / 2;\n  console.log('q', half);"],
    ["", "var a;\n  if (t > 1) { a = 1; } else { a = 2; }\n  console.log('q', a);"],
    ["", "if (t > 1) { var b = t; console.log('q', b); }"],
    ["", "for (var i = 0; i < 3; i++) { console.log('q', i + t); }"],
    ["", "if (t) var f = 1;\n  else f = 2;\n  console.log('q', f);"],
    [
      "",
      "if (t > 2) { var g = 1; } else if (t) { g = 2; } else { g = 3; }\n  console.log('q', g);",
    ],
    ["", "var s = 0;\n  for (var x of w) s += x;\n  console.log('q', s);"],
    ["", "let c;\n  console.log('q', c ?? t);\n  c = t;"],
    ["", "var d = t, e = d * 2;\n  console.log('q', [d].map((v) => v + e)[0]);"],
    ["", "const out = [];\n  out[0] = t;\n  console.log('q', out[0]);"],
    ["", "const out = w.slice();\n  out[0] = t;\n  console.log('q', net(out));"],
    [
      "",
      "const f = (a) => { const o = {}; for (const x of a) o[x] = 1; return o; };\n  console.log('q', f(w));",
    ],
    ["", "console.log('a', w.length);\n  w.most = t;\n  console.log('q', w.most);"],
    ["", "console.log('q', process.env.HOME);"],
  ],
  "a.py": [
    ["first = [v for v in w]", "print('q', w[0] - first[0])"],
    ["@torch.no_grad()\ndef norm(v):\n    return sum(v)", "print('q', norm(w))"],
    ["probe = make(3)", "print('q', net(probe))"],
    [
      "def norm(ps):\n    s = 0.0\n    for p in ps:\n        s += p * p\n    return s ** 0.5",
      "print('q', norm(w))",
    ],
    ["import statistics", "print('q', statistics.mean(w))"],
    ["batch = next(iter(w))", "print('q', net(batch))"],
    ["import torch\nx0 = torch.zeros(3)", "print('q', net(x0).sum())"],
    ["names = list(make(2))", "for name in names:\n        print('q', name)"],
    [
      "import os, torch",
      "torch.save(w, 'tmp.pt')\n    print('q', os.path.getsize('tmp.pt'))\n    os.remove('tmp.pt')",
    ],
    [
      "import io, torch",
      "file = io.BytesIO()\n    torch.save(w, file)\n    print('q', file.tell())",
    ],
    ["", "with open('q.txt', 'a') as f:\n        f.write(f'{t}\\n')\n    print('q', t)"],
    ["import json", "print('q', json.load(open('config.json'))['rate'])"],
    ["", "w.most = t\n    print('q', w.most)"],
    ["", "print('q', getattr(w, 'n', 0), vars(w))"],
    ["", "if t > 1:\n        a = 1\n    else:\n        a = 2\n    print('q', a)"],
    ["", "if t > 1:\n        b = t\n        print('q', b)"],
    ["", "s = 0\n    for x in w:\n        s += x\n    print('q', s)"],
    ["", "for x in w:\n        print('q', x)"],
    ["", "with make(t):\n        d = net(t)\n    print('q', d)"],
    ["", "if (m := net(t)) > 1:\n        print('q', m)"],
    ["", "try:\n        net(t)\n    except ValueError as e:\n        print('q', str(e))"],
    ["", "with make(t) as m:\n        d = net(m)\n        print('q', d)"],
    ["", "print('q', [x + t for x in w], (lambda v: v + t)(2))"],
    ["", "out = w.clone()\n    out[0] = t\n    print('q', net(out))"],
    ["", "out = sorted(w)  # mine\n    out.reverse()\n    print('q', out[0])"],
    ["", "out = torch.zeros(3)\n    out[0] = t\n    print('q', net(out))"],
    ["", "row = {}\n    row['a'] = t\n    print('q', row['a'])"],
    ["every = 5", "if t % every == 0:\n        print('q', t)"],
  ],
};

const PROGRAMS: { readonly [file: string]: (before: string, inLoop: string) => string } = {
  "a.mjs": (before, inLoop) =>
    `import { net, make } from "./net.mjs";\nconst w = [1];\n${before}\nfor (let t = 0; t < 3; t++) {\n  w[0] += t;\n  ${inLoop}\n}\n`,
  "a.py": (before, inLoop) =>
    `import random\nfrom net import net, make\nw = [1]\ndef half(x):\n    return x / 2\n${before}\nfor t in range(3):\n    w[0] += t\n    ${inLoop}\n`,
};

function stateOf(file: string, [before, inLoop]: Row): readonly string[] {
  const program = PROGRAMS[file];
  const now = program?.(before, inLoop) ?? "";
  const [then, own] = [program?.("", file === "a.py" ? "pass" : ";") ?? "", now].map((text) => {
    const one = parsed(file, text.replace(/\n *(?:pass|;)\n/, "\n"));
    if (!one) throw new Error(`it does not parse:\n${text}`);
    return one;
  });
  if (!then || !own) throw new Error("two versions");
  return pieceFor(editBetween(then, own), [now.indexOf("'q'")]).state;
}

describe.each(Object.keys(PROGRAMS))("%s", (file) => {
  test.each(KEEPS[file] ?? [])("kept: %s %s", (...row) => {
    expect(stateOf(file, row)).not.toEqual([]);
  });

  test.each(KEEPS_NOTHING[file] ?? [])("nothing is kept: %s %s", (...row) => {
    expect(stateOf(file, row)).toEqual([]);
  });
});

test("what a line of the run does keeps nothing of a question", () => {
  const text = (head: string, more: string): string =>
    `w = [1]\nfor t in range(3):\n    for ${head}:\n        w[0] += x\n${more}`;
  const now = text("i, x in enumerate(w)", "        print('q', i)\n");
  const [then, own] = [text("x in w", ""), now].map((one) => parsed("a.py", one));
  if (!then || !own) throw new Error("two versions");
  expect(pieceFor(editBetween(then, own), [now.indexOf("'q'")]).state).toEqual([]);
});

test("a name of the run that a question sets in another loop is no longer the run's", () => {
  const then =
    "for t in range(3):\n    for x in range(2):\n        f(x)\nfor i in range(2):\n    f(i)\n";
  const now = then
    .replace("for x in range(2)", "for i, x in enumerate(range(2))")
    .replace("for i in range(2)", "    print('q', i)\n$&");
  const [old, own] = [then, now].map((one) => parsed("a.py", one));
  if (!old || !own) throw new Error("two versions");
  expect(pieceFor(editBetween(old, own), [now.indexOf("'q'")]).state).toEqual(["i"]);
});
