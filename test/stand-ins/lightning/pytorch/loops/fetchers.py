"""Takes batches from a loader, and knows which one is the last."""


def _nothing():
    pass


class DataFetcher:
    def __init__(self, loader):
        self._loader = loader
        self.iterator = None
        self.fetched = 0
        self.done = False
        self._start_profiler = _nothing

    def __iter__(self):
        self.iterator = iter(self._loader)
        self.fetched = 0
        self.done = False
        return self

    def __next__(self):
        self._start_profiler()
        batch = next(self.iterator)
        self.fetched += 1
        self.done = self.fetched >= len(self._loader)
        return batch
