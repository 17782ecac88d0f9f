"""`run.json` of a run that is being recorded: written when it begins, when its sources are known,
and when it ends."""

import datetime
import sys
from typing import Any, Callable, Dict, List

from ..format.manifest import manifest_to_json
from ..store.durable import replace_file
from ..store.layout import RunPaths
from .environment import Environment
from .ranks import count_ranks, is_launched
from .files.loaded_sources import Sources, framework_versions


class RunManifest:
    def __init__(
        self,
        folder: str,
        manifest: Dict[str, Any],
        sources: Sources,
        environment: Environment,
        generators: Callable[[], List[Dict[str, Any]]],
    ) -> None:
        self._file = RunPaths(folder).manifest
        self._manifest = manifest
        self._sources = sources
        self._environment = environment
        # Their states before the program drew from them; more when it has loaded more.
        self._generators = generators
        # The program may set the variables itself later on.
        self._is_launched = is_launched()
        self._write({})

    @property
    def facts(self) -> Dict[str, Any]:
        """As it was written last."""
        return self._manifest

    @property
    def is_hands_free(self) -> bool:
        """Whether the program knows nothing of Afterlog: then it gets no advice on using it."""
        return self._manifest.get("handsFree") is True

    def keep_audit(self, audit: List[Dict[str, Any]]) -> None:
        """A run that is killed has what its audit found until then."""
        try:
            self._write({"audit": audit})
        except OSError:
            pass  # as below

    def keep_sources(self) -> None:
        """Writes what the program has loaded, if that is more than was known."""
        known = len(self._manifest["generators"])
        ranks = self._manifest.get("ranks") == self._ranks().get("ranks")
        if not self._sources.look() and len(self._generators()) == known and ranks:
            return
        try:
            self._write({})
        except OSError:
            pass  # a disk that takes no more is told of by those whose work is lost by it

    def complete(self, end: Dict[str, Any]) -> None:
        """Raises what the disk raises."""
        self._sources.look()
        started = datetime.datetime.fromisoformat(self._manifest["started"].replace("Z", "+00:00"))
        # Somebody may have set the clock back meanwhile: a run does not end before it began.
        run_time = datetime.timedelta(milliseconds=end["overhead"]["runMs"])
        ended = max(datetime.datetime.now(datetime.timezone.utc), started + run_time)
        self._write({**end, "ended": iso(ended)})

    def _write(self, end: Dict[str, Any]) -> None:
        hashes = dict(self._sources.hashes)
        known = {"sources": hashes, "environment": self._environment.hashes(hashes)}
        versions = {**self._manifest["versions"], **framework_versions()}
        host = {**self._manifest["host"], **_gpu_facts()}
        generators = list(self._generators())
        self._manifest = {
            **self._manifest,
            **known,
            "versions": versions,
            "generators": generators,
            "host": host,
            **self._ranks(),
            **end,
        }
        replace_file(self._file, manifest_to_json(self._manifest))

    def _ranks(self) -> Dict[str, int]:
        count = count_ranks()
        return {"ranks": count} if count > 1 or self._is_launched else {}


def iso(at: datetime.datetime) -> str:
    """A time of the wall clock, as JavaScript writes it."""
    utc = at.astimezone(datetime.timezone.utc)
    return utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03d}Z"


def _gpu_facts() -> Dict[str, str]:
    """The GPU that the program has used, if it has."""
    torch = sys.modules.get("torch")
    try:
        if torch is None or not torch.cuda.is_initialized():
            return {}
        return {"gpu": str(torch.cuda.get_device_name())}
    except Exception:
        return {}  # Half of a module is there, or a driver that is gone.
