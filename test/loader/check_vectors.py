"""Checks the vectors of the data iterator against docs/loader.md, with the standard library."""

import hashlib
import json
import math
import sys

M0, M1 = 0xD2511F53, 0xCD9E8D57
MASK = 0xFFFFFFFF


def philox(counter, key):
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        p, q = M0 * a, M1 * c
        a, b, c, d = (q >> 32) ^ b ^ k, q & MASK, (p >> 32) ^ d ^ m, p & MASK
        k, m = (k + 0x9E3779B9) & MASK, (m + 0xBB67AE85) & MASK
    return [a, b, c, d]


class Words:
    def __init__(self, seed, epoch, index, stream):
        self.key = (seed & MASK, seed >> 32)
        self.counter = (epoch, index, stream)
        self.block = 0
        self.left = []

    def word(self):
        if not self.left:
            self.left = philox((*self.counter, self.block), self.key)
            self.block += 1
        return self.left.pop(0)

    def below(self, bound):
        # The plain form of Lemire's method: a low half under 2^32 mod bound is drawn again.
        while True:
            product = self.word() * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32


class Random(Words):
    spare = None

    def next(self):
        high, low = self.word() >> 5, self.word() >> 6
        return (high * 2**26 + low) / 2**53

    def normal(self):
        if self.spare is not None:
            value, self.spare = self.spare, None
            return value
        while True:
            x = 2 * self.next() - 1
            y = 2 * self.next() - 1
            square = x * x + y * y
            if 0 < square < 1:
                factor = math.sqrt(-2 * log(square) / square)
                self.spare = y * factor
                return x * factor


def log(x):
    mantissa, exponent = math.frexp(x)
    if mantissa < 0.7071067811865476:
        mantissa, exponent = 2 * mantissa, exponent - 1
    z = (mantissa - 1) / (mantissa + 1)
    square = z * z
    total = 0.0
    for odd in range(23, 1, -2):
        total = (total + 1 / odd) * square
    return exponent * 0.6931471805599453 + 2 * z * (1 + total)


def order(n, seed, epoch, wanted):
    """The first entries; places that were never swapped are not stored."""
    words = Words(seed, epoch, 0, 0)
    moved = {}
    first = []
    for i in range(min(wanted, n)):
        if i < n - 1:
            j = i + words.below(n - i)
            first.append(moved.get(j, j))
            moved[j] = moved.get(i, i)
        else:
            first.append(moved.get(i, i))
    return first


def large_order(n, seed, epoch, position):
    half = ((n - 1).bit_length() + 1) // 2
    value = position
    while True:
        left, right = value >> half, value & (2**half - 1)
        for turn in range(4):
            word = philox((epoch, right, 0, turn), (seed & MASK, seed >> 32))[0]
            left, right = right, left ^ (word & (2**half - 1))
        value = left << half | right
        if value < n:
            return value


def transform(seed, n, size, epoch):
    """A map of items (stream 1), batch, and a map of batches (stream 2)."""
    items = order(n, seed, epoch, n)
    batches = []
    for start in range(0, n, size):
        batch = items[start : start + size]
        made = []
        for item in batch:
            random = Random(seed, epoch, item, 1)
            made.append([item, 1 if random.next() < 0.5 else 0, random.below(28)])
        whole = Random(seed, epoch, batch[0], 2 + 2**31).normal()
        each = [Random(seed, epoch, item, 2).next() for item in batch]
        batches.append({"items": made, "batch": whole, "each": each})
    return batches


def same(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found} is not {expected}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        vectors = json.load(file)
    for v in vectors["philox"]:
        words = [f"{word:08x}" for word in philox(v["counter"], v["key"])]
        same("philox", words, v["words"])
    for v in vectors["orders"]:
        found = order(v["n"], int(v["seed"]), v["epoch"], v["n"] if v["n"] <= 1000 else 32)
        same("order", found[:32], v["first"])
        if "sha256" in v:
            text = ",".join(map(str, found)).encode()
            same("order", hashlib.sha256(text).hexdigest(), v["sha256"])
    for v in vectors["largeOrders"]:
        n, seed, epoch = v["n"], int(v["seed"]), v["epoch"]
        same("large", [large_order(n, seed, epoch, at) for at in range(32)], v["first"])
        same("large", large_order(n, seed, epoch, n - 1), v["last"])
    for v in vectors["draws"]:
        key = (int(v["seed"]), v["epoch"], v["index"], v["stream"])
        random = Random(*key)
        same("next", [random.next() for _ in v["next"]], v["next"])
        random = Random(*key)
        for n, values in v["int"]:
            same("int", [random.below(n) for _ in values], values)
        random = Random(*key)
        same("normal", [random.normal() for _ in v["normal"]], v["normal"])
    for v in vectors["transforms"]:
        for epoch, batches in enumerate(v["epochs"]):
            same("transform", transform(int(v["seed"]), v["n"], v["batch"], epoch), batches)
    counts = [len(vectors[name]) for name in ("orders", "largeOrders", "draws", "transforms")]
    print("{} orders, {} large orders, {} draws, {} transforms".format(*counts))


main()
