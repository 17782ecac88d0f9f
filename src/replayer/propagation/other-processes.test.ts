/** Which functions of a Python program other processes execute. */
import { expect, test } from "vitest";
import { otherProcesses } from "./other-processes.ts";

const HEAD =
  "from multiprocessing import Pool, Process\ndef work(x):\n    return f(x)\n\ndef f(x):\n    return x\n";

test.each([
  ["with Pool(2) as pool:\n    pool.map(work, xs)\n", "work", "work f"],
  ["pool = mp.Pool(2)\nfor y in pool.imap_unordered(work, xs):\n    use(y)\n", "work", "work f"],
  ["self.pool = Pool()\nself.pool.starmap(self.work, xs)\n", "work", "work f"],
  ["Pool(2).map(partial(work, 1), xs)\n", "work", "work f"],
  ["with ProcessPoolExecutor() as ex:\n    ex.submit(work, 1)\n", "work", "work f"],
  ["Process(target=work, args=(1,)).start()\n", "work", "work f"],
  ["with Pool(2) as pool:\n    pool.map(work, xs)\nwork(1)\n", "", "work f"],
  ["with ThreadPool(2) as pool:\n    pool.map(work, xs)\n", "", ""],
  ["with ThreadPoolExecutor() as pool:\n    pool.map(work, xs)\n", "", ""],
  ["Thread(target=work).start()\n", "", ""],
  ["frame.apply(work)\nPool(2)\n", "", ""],
])("%s", (text, only, all) => {
  const found = otherProcesses([HEAD + text]);
  expect([...found.only].join(" ")).toBe(only);
  expect([...found.all].join(" ")).toBe(all);
});

test("in several files", () => {
  const work = "def work(x):\n    return f(x)\ndef other(x):\n    return f(x)\n";
  const main =
    "import multiprocessing\nfrom work import work\npool = multiprocessing.Pool(2)\npool.map(work, xs)\n";
  const { only, all } = otherProcesses([main, work, "def f(x):\n    return x\n"]);
  expect([[...only], [...all]]).toEqual([["work"], ["work", "f"]]);
});
