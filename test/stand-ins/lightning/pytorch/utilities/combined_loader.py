"""Several loaders as one: the batches of all of them at once, or of one after the other."""


class CombinedLoader:
    def __init__(self, iterables, mode="min_size"):
        self.iterables = iterables
        self.mode = mode
        self._iterator = None

    @property
    def flattened(self):
        given = self.iterables
        if isinstance(given, dict):
            return list(given.values())
        return list(given) if isinstance(given, (list, tuple)) else [given]

    def __len__(self):
        lengths = [len(one) for one in self.flattened]
        return sum(lengths) if self.mode == "sequential" else min(lengths)

    def __iter__(self):
        sequential = self.mode == "sequential"
        self._iterator = _Sequential(self) if sequential else _Together(self)
        return self._iterator


class _Together:
    def __init__(self, loader):
        self.iterables = loader.iterables
        self.iterators = [iter(one) for one in loader.flattened]
        self.index = -1

    def __next__(self):
        self.index += 1
        batches = [next(one) for one in self.iterators]
        if isinstance(self.iterables, dict):
            batches = dict(zip(self.iterables, batches))
        elif not isinstance(self.iterables, (list, tuple)):
            batches = batches[0]
        return batches, self.index, 0


class _Sequential:
    def __init__(self, loader):
        self.loaders = loader.flattened
        self.iterators = []
        self.at = 0
        self.index = -1

    def __next__(self):
        if self.at >= len(self.loaders):
            raise StopIteration
        if not self.iterators:
            self.iterators = [iter(self.loaders[self.at])]
        try:
            batch = next(self.iterators[0])
        except StopIteration:
            self.at, self.index, self.iterators = self.at + 1, -1, []
            return next(self)
        self.index += 1
        return batch, self.index, self.at
