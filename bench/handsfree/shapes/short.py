# A million quick iterations, and a short loop that calls a package and is entered very often.
import json
import sys


def parts(n):
    s = 0
    for part in [n, n + 1, n + 2]:
        s += json.loads(str(part))
    return s


total = 0
for epoch in range(int(sys.argv[1])):
    for i in range(1_000_000):
        total = (total + i * epoch) % 1_000_003
    for j in range(20_000):
        total += parts(j)
    print("epoch", epoch, "total", total)
