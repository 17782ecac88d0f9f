"""All settings, as data: the twin of `src/format/settings-table.ts`, which a test holds it to. What
only documents and the command line need (flags, meanings) stands there alone."""

from typing import NamedTuple, Optional, Tuple


class Setting(NamedTuple):
    # In `afterlog.toml`: the part before the dot is the section.
    key: str
    # How a text is read: `settings.py` has a reader for each.
    type: str
    # Text of the value while nobody sets it; None: then there is none.
    default: Optional[str]
    variable: str
    # Whether it may stand in `afterlog.toml`: not what is of one run or of one machine.
    in_file: bool
    # Of a choice.
    choices: Tuple[str, ...] = ()


SETTINGS = (
    Setting("record.mode", "choice", "record", "AFTERLOG_MODE", False, ("record", "off")),
    Setting("record.seed", "seed", None, "AFTERLOG_SEED", False),
    Setting("record.overhead", "share", "0.0667", "AFTERLOG_OVERHEAD", True),
    Setting("record.keep", "keep", "steps:2GiB", "AFTERLOG_KEEP", True),
    Setting("record.console", "console", "true", "AFTERLOG_CONSOLE", True),
    Setting("record.grace", "seconds", "10", "AFTERLOG_GRACE", True),
    Setting("record.not_secret", "text", None, "AFTERLOG_NOT_SECRET", True),
    Setting("record.persist", "choice", "worker", "AFTERLOG_PERSIST", False, ("worker", "inline")),
    Setting("replay.workers", "count", None, "AFTERLOG_WORKERS", True),
    Setting("replay.max_time", "time", None, "AFTERLOG_MAX_TIME", True),
    Setting("replay.tolerance", "number", "1e-6", "AFTERLOG_TOLERANCE", True),
    Setting("replay.canary", "switch", "true", "AFTERLOG_CANARY", True),
    Setting("replay.control", "switch", "true", "AFTERLOG_CONTROL", True),
    Setting("replay.price_per_hour", "price", None, "AFTERLOG_PRICE_PER_HOUR", True),
    Setting("dir", "text", None, "AFTERLOG_DIR", False),
    Setting("cli", "text", None, "AFTERLOG_CLI", False),
)
