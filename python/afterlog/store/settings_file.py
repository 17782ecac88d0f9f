"""Reads `afterlog.toml` of a project. A program whose project has none only looks for it."""

import errno
import os
from typing import Optional

from ..format.settings_text import SettingsFile, read_settings_text

SETTINGS_FILE = "afterlog.toml"


def read_settings_file(root: str) -> Optional[SettingsFile]:
    """The settings file in the root of a project; None if there is none. Never raises."""
    try:
        with open(os.path.join(root, SETTINGS_FILE), "rb") as stream:
            text = stream.read().decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        code = errno.errorcode.get(error.errno or 0, "it failed")
        return SettingsFile(SETTINGS_FILE, [], [], (1, f"the file cannot be read ({code})"))
    except UnicodeDecodeError:
        return SettingsFile(SETTINGS_FILE, [], [], (1, "the file is not UTF-8 text"))
    return read_settings_text(SETTINGS_FILE, text)
