"""What `import afterlog` shows: the names that programs use, and nothing behind them."""

import unittest

import afterlog


class Door(unittest.TestCase):
    def test_shows_what_is_for_programs(self) -> None:
        shown = [name for name in dir(afterlog) if not name.startswith("__")]
        self.assertEqual(shown, sorted(set(afterlog.__all__) - {"__version__"}))


if __name__ == "__main__":
    unittest.main()
