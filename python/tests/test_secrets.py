"""What looks like a secret: the same in both languages."""

import json
import os
import re
import unittest

from afterlog.store.version_secrets import secret_by_name, secret_in_text

_TABLE = os.path.join(os.path.dirname(__file__), "../../test/fixtures/secrets.json")
# Nothing that a scanner of this repository would take for a token.
_LETTERS = {
    "": "aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0z" * 3,
    "A": "QWERTYUIOPASDFGH",
    "h": "0123456789abcdef" * 3,
}


def _filled(text: str) -> bytes:
    return re.sub(
        r"<(\d+)([Ah]?)>", lambda found: _LETTERS[found[2]][: int(found[1])], text
    ).encode()


class Secrets(unittest.TestCase):
    def test_the_same_in_both_languages(self) -> None:
        with open(_TABLE, encoding="utf-8") as file:
            for path, text, what in json.load(file):
                with self.subTest(path=path, text=text):
                    found = secret_by_name(path.encode()) or secret_in_text(_filled(text))
                    self.assertEqual(found, what)


if __name__ == "__main__":
    unittest.main()
