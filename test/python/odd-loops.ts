/** Programs whose loops are odd, or quick, or not alone. */

/** Loops of every kind, left in every way; it ends by an exception that nobody catches. */
export const ODD_LOOPS = `
import collections
log=[]
def f(n):
    for i in range(n):
        if i == 3: continue
        if i == 7: break
        log.append(i)
    else:
        log.append("else")
    return i
log.append(f(5)); log.append(f(20))
n=0
while n<5:
    n+=1
    while n % 2:
        n+=1
        if n>8: break
    else:
        log.append(("inner else",n))
else:
    log.append("outer else")
def g():
    while True:
        try:
            return log.append("returned")
        finally:
            log.append("finally")
g()
def gen():
    try:
        for i in range(10): yield i
    finally:
        log.append("closed")
for x in gen():
    if x==2: break
log.append("after")
it=iter([1,2,3,4])
for x in it:
    if x==2: break
for x in it: log.append(x)
try:
    for x in 5: pass
except TypeError as e: log.append(str(e))
try:
    for x in range(3):
        raise KeyError(x)
except KeyError as e: log.append(repr(e))
class It:
    def __init__(s): s.n=0
    def __getitem__(s,k):
        if k>3: raise IndexError
        return k*k
log.append([y for y in It()]); 
for y in It(): log.append(y)
class Bare:
    def __init__(s): s.n=0
    def __next__(s):
        s.n+=1
        if s.n>3: raise StopIteration
        return s.n
class Anew(Bare):
    def __iter__(s):
        log.append("begun")
        s.n=0
        return s
for y in Anew(): log.append(y)
class Gives:
    def __iter__(s): return Bare()
for y in Gives(): log.append(y)
class A:
    for q in range(3): pass
    z=q
log.append(A.z)
def rec(d):
    for i in range(2):
        if d: rec(d-1)
        log.append((d,i))
rec(5)
d=collections.OrderedDict(a=1,b=2)
for k,v in d.items(): log.append((k,v))
for (a,[b,*c]) in [(1,[2,3,4])]: log.append((a,b,c))
k=10
while (k:=k-3)>0: log.append(k)
total=0
for i in range(100000): total+=i
log.append(total)
for i in range(3000):
    if i==2500: break
log.append(i)
with open(__file__) as fh:
    for line in fh:
        break
    log.append(fh.readline())
print(log, __name__, __spec__, __annotations__, sorted(k for k in globals() if not k.startswith("_")))
import traceback
def bad():
    for v in map(lambda z: 1/z, [1,0]): pass
try: bad()
except ZeroDivisionError: print(traceback.format_exc())
bad()
`;

/** Processes, threads and coroutines, and a copy of the process that goes on with a loop. */
export const BESIDE = `
import multiprocessing as mp, os, sys, threading, asyncio, pickle
from dataclasses import dataclass
@dataclass
class P:
    x: int = 0
def work(n):
    t=0
    for i in range(n):
        t+=i
    return t
def child(q):
    s=0
    while s<5: s+=1
    q.put(s)
async def co(n, out):
    for i in range(n):
        await asyncio.sleep(0)
        out.append(i)
async def amain():
    out=[]
    await asyncio.gather(co(3,out), co(3,out))
    return out
def main():
    for ctx in ("fork","spawn"):
        c=mp.get_context(ctx)
        with c.Pool(2) as pool:
            for r in pool.imap(work,[3,4,5]): print(ctx, r)
        q=c.Queue(); p=c.Process(target=child,args=(q,)); p.start(); print(q.get()); p.join()
    for i in range(3):
        sys.stdout.flush()
        pid=os.fork()
        if pid==0:
            for k in range(3): pass
            os._exit(0)
        os.waitpid(pid,0)
    for i in range(2):
        sys.stdout.flush()
        pid=os.fork()
        if pid==0:
            continue
        os.waitpid(pid,0)
        break
    print("pid loop", i); sys.stdout.flush()
    if pid==0: os._exit(0)
    res=[]
    ts=[threading.Thread(target=lambda: res.append(work(100))) for _ in range(3)]
    for t in ts: t.start()
    for t in ts: t.join()
    print(res, asyncio.run(amain()))
    print(pickle.loads(pickle.dumps(P(3))), P.__module__)
if __name__=="__main__":
    main()
`;

/** Bodies so quick that most iterations go by without a word; what is logged stands in some. */
export const QUICK_LOOPS = `
import afterlog as al
total, i = 0, 0
for i in range(30000):
    total += i
    if i % 7777 == 5:
        al.log("in_for", total)
    if i == 29000:
        break
n = 0
while n < 40000:
    n += 1
    if n % 9999 == 0:
        al.log("in_while", n)
for a, (b, c) in enumerate(zip(range(20000), [1] * 20000)):
    total += b * c
    if a > 15000 and a % 1000 == 0:
        for j in range(2):
            al.log("inside", [a, j])
try:
    for i in range(20000):
        if i == 12345:
            raise KeyError(i)
except KeyError:
    al.log("caught", i)
al.log("end", [total, n, i])
`;

/** A program that can tell whether an object still lives; in each step, containers are made anew. */
const LIVING = `
import HOW
class Node:
    def __init__(self, v):
        self.v = v
    END
nodes, grid, table, pair, gone, total = [], [], {}, (), [], 0.0
SEES
def train():
    global nodes, grid, table, pair, total
    best = []
    for epoch in range(4):
        for step in range(5):
            nodes = [Node(step)]
            grid = [[Node(step)], [nodes[0]]]
            table = {"a": [Node(step)], step: Node(step)}
            pair = (Node(step), step)
            best = [[Node(epoch)]] if step % 2 else best
            for one in (nodes[0], grid[0][0], table["a"][0], table[step], pair[0], *(b for a in best for b in a)):
                see(one)
            total += alive() + nodes[0].v * 0.1
        print("alive", alive())
        print("total", total)
train()
`;

function living(sees: string, { how = "weakref", end = "" } = {}): string {
  return LIVING.replace("HOW", how).replace("SEES", sees).replace("END", end);
}

/** By what the program can tell it. */
export const LIVING_OBJECTS: { readonly [how: string]: string } = {
  WeakSet: living("known = weakref.WeakSet()\nsee, alive = known.add, lambda: len(known)"),
  WeakKeyDictionary: living(
    "known = weakref.WeakKeyDictionary()\nsee, alive = lambda o: known.setdefault(o, 1), lambda: len(known)",
  ),
  finalize: living("see, alive = lambda o: weakref.finalize(o, gone.append, 1), lambda: len(gone)"),
  ref: living(
    "refs = []\nsee, alive = lambda o: refs.append(weakref.ref(o)), lambda: sum(r() is not None for r in refs)",
  ),
  __del__: living("see, alive = id, lambda: len(gone)", {
    how: "math",
    end: "def __del__(self): gone.append(1)",
  }),
};

/** They notice what is done with what is theirs, and count it, or tell. */
export const WATCHING: { readonly [name: string]: string } = {
  "clocks, dictionaries and lists": `
import time

asked = []
for name in ("time", "perf_counter", "process_time"):
    setattr(time, name, lambda: asked.append(1) or float(len(asked)))

class Noisy(dict):
    def items(self):
        print("items")
        return super().items()
    def __iter__(self):
        print("iter")
        return super().__iter__()

class Listed(list):
    def __iter__(self):
        print("list iter")
        return super().__iter__()
    def __len__(self):
        print("list len")
        return super().__len__()

d, l = Noisy(), Listed()
for epoch in range(3):
    began = time.perf_counter()
    for step in range(3):
        d[step] = epoch
        l.append(step)
    print("took", time.perf_counter() - began, time.time(), time.process_time())
print("done", len(d), len(l), len(asked))
`,
  "classes of tensors": `
import torch
torch.set_num_threads(1)

class Telling(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("func", func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})

w = torch.zeros(3).as_subclass(Telling)
for epoch in range(3):
    for step in range(3):
        w.add_(1)
    print("epoch", epoch)
print("done")
`,
};
