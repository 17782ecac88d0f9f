"""Runs the tests of the package: `python3 -m tests [--summary FILE] [test_format ...]`, in python/.

The summary is what `scripts/tests.js` adds to the tests of TypeScript: a skipped test needs what
is not here, and says so.
"""

import collections
import json
import os
import sys
import unittest


class Result(unittest.TextTestResult):
    """Counts what passed, and knows how much processor time the tests of each file took."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.passed = 0
        self.seconds = collections.Counter()

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def startTest(self, test):
        self.began = _processor_seconds()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.seconds[type(test).__module__] += _processor_seconds() - self.began


def _processor_seconds():
    return sum(os.times()[:4])


def _summary(result):
    # A part of a test, which `subTest` makes, fails with it.
    failed = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
    files = [
        {"file": "python/{}.py".format(name.replace(".", "/")), "processorSeconds": seconds}
        for name, seconds in result.seconds.items()
    ]
    return {
        "passed": result.passed,
        "failed": len(failed) + len(result.unexpectedSuccesses),
        "skipped": 0,
        "notPossible": collections.Counter(reason for _, reason in result.skipped),
        "files": files,
    }


def main(argv):
    os.environ["AFTERLOG_MODE"] = "off"
    sys.dont_write_bytecode = True
    summary = argv.pop(1) if argv[:1] == ["--summary"] else None
    names = ["tests." + name for name in argv if name != "--summary"]
    loader = unittest.defaultTestLoader
    if names:
        suite = loader.loadTestsFromNames(names)
    else:
        suite = loader.discover("tests", top_level_dir=".")
    result = unittest.TextTestRunner(resultclass=Result, verbosity=0).run(suite)
    if summary:
        with open(summary, "w", encoding="utf-8") as file:
            json.dump(_summary(result), file)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
