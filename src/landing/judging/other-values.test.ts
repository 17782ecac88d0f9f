/** Edits after which a log call, or what it calls, would say something else in the older version: somebody is asked. */
import { beforeAll, expect, test } from "vitest";
import type { VersionRow } from "../../../test/support/landed.ts";
import { landed, loop } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const PY_METER = "# A meter\nimport meters\nm = meters.Meter()\ncfg = {'lr': 0.1}\nw = 0.1";
const TS_METER = "const m = new Meter();\nconst cfg = { lr: 0.1 };\nlet w = 0.1;";

const PY_CLIP = "# A net\ndef clip(net):\n    net.k = min(net.k, 1)";
const PY_DECAY = "# A rate\ndef decay(net):\n    net.k = net.k * 0.9";

const NET = `# A net
import torch
m = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(m.parameters(), lr=0.1)
def total(net):
    return sum(p.grad.norm() for p in net.parameters())`;

const moved: Record<string, VersionRow> = {
  "a method that begins anew, in Python": {
    then: loop(PY_METER, "for e in data:", "    m.update(e)", "m.reset()", 'print("w", w)'),
    now: loop(
      PY_METER,
      "m.reset()",
      "for e in data:",
      "    m.update(e)",
      'print("q", m.sum)  # asked',
      'print("w", w)',
    ),
  },
  "a method that begins anew, in TypeScript": {
    then: loop(TS_METER, "for (const e of data) m.update(e);", "m.reset();", "show(w);"),
    now: loop(
      TS_METER,
      "m.reset();",
      "for (const e of data) m.update(e);",
      'console.log("q", m.sum); // asked',
      "show(w);",
    ),
  },
  "a field, under a condition since, in Python": {
    then: loop(PY_METER, "for e in data:", "    w -= cfg['lr'] * e", "cfg['lr'] *= 0.9", "show(w)"),
    now: loop(
      PY_METER,
      "if epoch > 0:",
      "    cfg['lr'] *= 0.9",
      "for e in data:",
      "    w -= cfg['lr'] * e",
      "print('q', cfg['lr'] * w)  # asked",
      "show(w)",
    ),
  },
  "a field that is set otherwise since, in TypeScript": {
    then: loop(TS_METER, "for (const e of data) w -= cfg.lr * e;", "cfg.lr *= 0.9;", "show(w);"),
    now: loop(
      TS_METER,
      "cfg.lr = 0.1 * 0.9 ** epoch;",
      "for (const e of data) w -= cfg.lr * e;",
      'console.log("q", cfg.lr * w); // asked',
      "show(w);",
    ),
  },
  "gradients that are zeroed, and read before": {
    then: loop(NET, "opt.zero_grad()", "n = total(m)", "loss = m(n).mean()", "loss.backward()"),
    now: loop(
      NET,
      "n = total(m)",
      "loss = m(n).mean()",
      "opt.zero_grad()",
      'print("q", n.item())  # asked',
      "loss.backward()",
    ),
  },
  "two values of one name": {
    then: loop(PY_METER, "loss = d * z - 1", "g -= loss", "loss = d * (z - 2)", "d -= loss"),
    now: loop(
      PY_METER,
      "loss = d * (z - 2)",
      "d -= loss",
      "loss = d * z - 1",
      "g -= loss",
      'print("q", loss)  # asked',
    ),
  },
  "two functions that change a list": {
    then: loop(PY_METER, "select()", "mutate()", 'print("best", m.pop[0])'),
    now: loop(
      PY_METER,
      "mutate()",
      "select()",
      'print("q", sum(m.pop))  # asked',
      'print("best", m.pop[0])',
    ),
  },
};

test.each(Object.entries(moved))("what changes the value moved: %s", (_, row) => {
  const { verdict, warnings } = landed(row);
  expect(verdict).toBe("review");
  expect(warnings.map(({ text }) => text).join()).toMatch(/line \d+ may change what it reads/);
});

const PY_NETS = "# Nets\nimport nets\nw = 0.1\np = {'w': 0.1, 'b': 0.0}";
const TS_NETS = "let w = 0.1;\nlet m = 0;\nlet v = 0;";

const other: Record<string, VersionRow> = {
  "a function reads a global there, and a local is meant": {
    then: loop(`${PY_NETS}\ndef main():\n  w = 0.1`, "pass").replace(/for[^]*$/, (text) =>
      text.replaceAll(/^/gm, "  ").replace("pass", 'w -= nets.grad(w)\n      print("w", w)'),
    ),
    now: loop(
      `${PY_NETS}\ndef gap():\n    return abs(w - 2)`,
      "w -= nets.grad(w)",
      'print("q", gap())  # asked',
      'print("w", w)',
    ),
  },
  "names by position, given by a function that gives them in another order": {
    then: loop(`${PY_NETS}\ndef run(x):\n    return x * x, x > 0`, "a, b = run(w)", "show(a)"),
    now: loop(
      `${PY_NETS}\ndef run(x):\n    return x > 0, x * x`,
      "acc, loss = run(w)",
      'print("q", acc)  # asked',
      "show(loss)",
    ),
  },
  "variables handed on": {
    then: loop(TS_NETS, "v = 0.9 * v + g(w);", "w -= 0.1 * v;", "show(w);"),
    now: loop(
      TS_NETS,
      "m = 0.9 * m + g(w);",
      "v = 0.99 * v + g(w) ** 2;",
      "w -= (0.1 * m) / v;",
      'console.log("q", v); // asked',
      "show(w);",
    ),
  },
  "a number handed on": {
    then: loop(
      "# Nets\nN = 3\ndata = read()\nw = [0.1] * N",
      "for k in range(N):",
      "    w[k] -= 1",
    ),
    now: loop(
      "# Nets\nH = 3\ndata = read()\nN = len(data)\nw = [0.1] * H",
      "for k in range(H):",
      "    w[k] -= 1",
      "print('q', sum(w) / N)  # asked",
    ),
  },
  "an option handed on": {
    then: loop("# Nets\nw = [0.1] * args.n\ndata = read(args.samples)", "w[0] -= 1", "show(w)"),
    now: loop(
      "# Nets\nw = [0.1] * args.hidden\ndata = read(args.n)",
      "w[0] -= 1",
      "print('q', sum(w) / args.n)  # asked",
      "show(w)",
    ),
  },
  "a key handed on": {
    then: loop('# Nets\ncfg = {"steps": 4}', "for k in range(3):", "    w -= 1", "show(w)").replace(
      "range(3)",
      'range(cfg["steps"])',
    ),
    now: loop(
      '# Nets\ncfg = {"epochs": 4, "steps": 3}',
      'for k in range(cfg["steps"]):',
      "    w -= 1",
      'print("q", w / cfg["steps"])  # asked',
      "show(w)",
    ).replace("range(3)", 'range(cfg["epochs"])'),
  },
  "parameters of a callback that changed places": {
    then: loop("const draw = 1;", "cb(epoch, e);").concat(
      "fit((a, b) => {\n  best = Math.min(best, b);\n});\n",
    ),
    now: loop("const draw = 1;", "cb(e, epoch);").concat(
      'fit((a, b) => {\n  console.log("q", a * a); // asked\n  best = Math.min(best, a);\n});\n',
    ),
  },
  "properties handed on": {
    then: loop(TS_NETS, "o.m = 0.9 * o.m + w;", "o.v = 0.99 * o.v + w * w;", "show(w);"),
    now: loop(
      TS_NETS,
      "o.v = 0.9 * o.v + w;",
      "o.s = 0.99 * o.s + w * w;",
      'console.log("q", o.v); // asked',
      "show(w);",
    ),
  },
  "keys exchanged": {
    then: loop(PY_NETS, "p['w'] -= nets.g(w) * 2", "p['b'] -= nets.g(w)", "show(w)"),
    now: loop(
      PY_NETS,
      "p['b'] -= nets.g(w) * 2",
      "p['w'] -= nets.g(w)",
      "print('q', p['b'])  # asked",
      "show(w)",
    ),
  },
  "indices exchanged": {
    then: loop(PY_NETS, "p[1] -= 0.1 * nets.g(w) * 2", "p[0] -= 0.1 * nets.g(w)", "show(w)"),
    now: loop(
      PY_NETS,
      "p[0] -= 0.1 * nets.g(w) * 2",
      "p[1] -= 0.1 * nets.g(w)",
      "print('q', p[0])  # asked",
      "show(w)",
    ),
  },
  "a function that took another's name": {
    then: loop(
      `${PY_NETS}\ndef grad(w):\n    return w - 2\ndef grad_l2(w):\n    return grad(w) + w`,
      "w -= grad_l2(w)",
      "show(w)",
    ),
    now: loop(
      `${PY_NETS}\ndef raw(w):\n    return w - 2\ndef grad(w):\n    return raw(w) + w`,
      "w -= grad(w)",
      'print("q", grad(1))  # asked',
      "show(w)",
    ),
  },
  "a constructor whose parameters changed places, in TypeScript": {
    then: loop(
      "class Stat { constructor(decay, value) { this.d = decay; this.v = value; } }\nconst run = new Stat(0.9, 0);",
      "run.v += epoch;",
    ),
    now: loop(
      "class Stat { constructor(value, decay) { this.d = decay; this.v = value; } }\nconst run = new Stat(0, 0.9);",
      "run.v += epoch;",
      'console.log("q", new Stat(epoch, 0.5).v); // asked',
    ),
  },
  "a constructor whose parameters changed places, in Python": {
    then: loop(
      "# Stat\nclass Stat:\n    def __init__(self, decay, value):\n        self.d, self.v = decay, value\nrun = Stat(0.9, 0)",
      "run.v += epoch",
    ),
    now: loop(
      "# Stat\nclass Stat:\n    def __init__(self, value, decay):\n        self.d, self.v = decay, value\nrun = Stat(0, 0.9)",
      "run.v += epoch",
      'print("q", Stat(epoch, 0.5).v)  # asked',
    ),
  },
  "a method whose parameters changed places": {
    then: loop(
      `class Net {\n  err(y, p) {\n    return (p - y) * y;\n  }\n}\n${TS_NETS}`,
      "w -= net.err(2, w);",
      "show(w);",
    ),
    now: loop(
      `class Net {\n  err(p, y) {\n    return (p - y) * y;\n  }\n}\n${TS_NETS}`,
      "w -= net.err(w, 2);",
      'console.log("q", net.err(w, 3)); // asked',
      "show(w);",
    ),
  },
  "a promise that is not awaited there": {
    then: loop(
      `async function step(x) {\n  return x;\n}\n${TS_NETS}`,
      "const g = step(w);",
      "ps.push(g);",
    ),
    now: loop(
      `async function step(x) {\n  return x;\n}\n${TS_NETS}`,
      "const g = await step(w);",
      'console.log("q", g * 2); // asked',
      "ps.push(g);",
    ),
  },
  "a sum that begins anew in another loop": {
    then: loop(`${PY_NETS}\ntotal = 0`, "for x in data:", "    total += x", "show(w)"),
    now: loop(
      PY_NETS,
      "total = 0",
      "for x in data:",
      "    total += x",
      "print('q', total / 3)  # asked",
      "show(w)",
    ),
  },
};

test.each(Object.entries(other))("a word means something else there: %s", (_, row) => {
  expect(landed(row).verdict).toBe("review");
});

test.each<[string, VersionRow]>([
  [
    "a comprehension",
    {
      then: loop("# A step\nw = 1.0", "d = draw()", "w += d", "show(w)"),
      now: loop(
        "# A step\nw = 1.0",
        "step = draw()",
        "w += step",
        'print("q", [d * step for d in (w, 1)])  # asked',
        "show(w)",
      ),
    },
  ],
  [
    "a function",
    {
      then: loop("let w = 1;", "const d = draw();", "w += d;", "show(w);"),
      now: loop(
        "let w = 1;",
        "const step = draw();",
        "w += step;",
        'console.log("q", [w, 1].map((d) => d * step)); // asked',
        "show(w);",
      ),
    },
  ],
])("%s of the statement has its own of that name", (_, row) => {
  expect(landed(row)).toMatchObject({ verdict: "cannot", refusal: "ambiguous" });
});

test.each<[string, VersionRow]>([
  [
    "statements that have nothing to do with it",
    {
      then: loop(PY_METER, "b = 2", "a = 1", "m.reset()", "loss = a * b", "show(w)"),
      now: loop(
        PY_METER,
        "a = 1",
        "b = 2",
        "m.reset()",
        "loss = a * b",
        'print("q", loss)  # asked',
        "show(w)",
      ),
    },
  ],
  [
    "a function that changes it where it is called",
    {
      then: loop(`${PY_DECAY}\n${PY_CLIP}\nnet = Net()`, "clip(net)", "decay(net)", "show(net)"),
      now: loop(
        `${PY_CLIP}\n${PY_DECAY}\nnet = Net()`,
        "clip(net)",
        "decay(net)",
        "show(net)",
      ).concat('print("q", net.k)  # asked\n'),
    },
  ],
  [
    "another name, which a parameter has too",
    {
      then: loop(`${PY_CLIP}\nmodel = Net()\nmodel.k = 1`, "clip(model)", "show(model)"),
      now: loop(
        `${PY_CLIP}\nnet = Net()\nnet.k = 1`,
        "clip(net)",
        'print("q", net.k)  # asked',
        "show(net)",
      ),
    },
  ],
  [
    "a part of what gives the value that got a name before it",
    {
      then: loop(
        "# Hosts\nimport net",
        'm.login = net.user(m.cfg["fqdn"])',
        "m.base = ['scp']",
        "if m.version() > 9:",
        "    m.base.append('O')",
        'm.host = "%s@%s" % (m.login, m.cfg["fqdn"])',
        "m.ready = True",
      ),
      now: loop(
        "# Hosts\nimport net",
        'fqdn = m.cfg["fqdn"]',
        "m.login = net.user(fqdn, 22)",
        "m.base = ['scp']",
        "if m.version() > 9:",
        "    m.base.append('O')",
        'm.host = "%s@%s" % (m.login, fqdn)',
        'print("q", m.host)  # asked',
        "m.ready = True",
      ),
    },
  ],
  [
    "a count and what reads it, whose name is another one",
    {
      then: `# Counts
class Reporter:
    def backtracking(self, one):
        self.backtracks_by_package[one.name] += 1
        count = self.backtracks_by_package[one.name]
        if count not in self._messages_at_backtrack:
            return
        message = self._messages_at_backtrack[count]
`,
      now: `# Counts
class Reporter:
    def rejecting(self, criterion, one):
        self.reject_count_by_package[one.name] += 1
        count = self.reject_count_by_package[one.name]
        if count not in self._messages_at_reject_count:
            return
        message = self._messages_at_reject_count[count]
        print("q", message.format(name=one.name))  # asked
        for info in criterion.information:
            self.show(info)
`,
    },
  ],
  [
    "a call and a condition that only one version has each",
    {
      then: `function stop(id, cb) {
    if (!(id in God.all)) return cb(God.fail(id));
    if (God.all[id].env.status == STOPPED) return cb(God.format(id));
    if (God.all[id].env.status === LAUNCHING || God.all[id].state === "none") {
        setTimeout(function () { stop(id, cb); }, 250);
        return false;
    }
    var proc = God.all[id];
    var timeout = null;
    proc.env.status = STOPPING;
}
`,
      now: `function stop(id, cb) {
    if (!(id in God.all)) return cb(God.fail(id));
    clearTimeout(God.all[id].env.task);
    if (God.all[id].env.status == STOPPED) return cb(God.format(id));
    if (God.all[id].state === "none") return setTimeout(function () { stop(id, cb); }, 250);
    var proc = God.all[id];
    console.log("q", proc.env.name); // asked
    proc.env.status = STOPPING;
}
`,
    },
  ],
  [
    "gradients that nothing reads",
    {
      then: loop(NET, "opt.zero_grad()", "x = draw()", "loss = m(x).mean()", "loss.backward()"),
      now: loop(
        NET,
        "x = draw()",
        "loss = m(x).mean()",
        "opt.zero_grad()",
        'print("q", loss.item())  # asked',
        "loss.backward()",
      ),
    },
  ],
  [
    "options of a parser",
    {
      then: `# Options
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--seed")
parser.add_argument("--lr")
debug = parser.add_argument_group("debug")
debug.add_argument("--level")
`,
      now: `# Options
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr")
parser.add_argument("--seed")
debug = parser.add_argument_group("debug")
print("q", debug.title)  # asked
debug.add_argument("--level")
`,
    },
  ],
])("nobody is asked where others moved: %s", (_, row) => {
  expect(landed(row).verdict).not.toBe("review");
});
