# A walk of a tree, by a loop in a function that calls itself.
import sys


def make(d):
    return {"v": d, "kids": [] if d == 0 else [make(d - 1), make(d - 1)]}


root = make(13)


def total_of(n):
    s = n["v"]
    for k in n["kids"]:
        s += total_of(k)
    return s


total = 0
for epoch in range(int(sys.argv[1])):
    total += total_of(root)
    print("epoch", epoch, "total", total)
