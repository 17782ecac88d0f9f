"""A state that was executed again, compared with the one that was recorded."""

import unittest
from typing import Any, Dict, List

from afterlog.record.replay.compare_state import differing_places, hashes_of
from afterlog.state.places import Place
from afterlog.state.walk import identify

try:
    import torch
except ImportError:
    torch = None


def places_of(held: Dict[str, Any]) -> List[Place]:
    return [Place(key, "b", lambda k=key: held[k], print) for key in held]


@unittest.skipIf(torch is None, "no torch")
class Compare(unittest.TestCase):
    def differing(self, kept: float) -> List[str]:
        """In the run the first `drawn` is gone when it is bound anew; who repeats it holds it."""
        hashes = []
        for repeated in (False, True):
            drawn = torch.zeros(4, 3)
            held = {"drawn": drawn, "kept": [drawn.detach()[0]]}
            entry = identify(places_of(held), hold=repeated)
            held["drawn"] = torch.ones(4, 3)
            del drawn
            if not repeated:
                hashes = hashes_of(places_of(held), entry, left=True).items()
                continue
            held["kept"][0] += kept
            places = [{"key": key, "crc32": crc} for key, crc in hashes]
            record = {"places": places, "absent": [], "generators": []}
            return differing_places(places_of(held), entry, [], record)
        return []

    def test_memory_of_what_only_the_repetition_holds(self) -> None:
        self.assertEqual(self.differing(kept=0), [])
        self.assertEqual(self.differing(kept=1), ["kept"])


if __name__ == "__main__":
    unittest.main()
