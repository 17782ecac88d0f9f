"""`restore(row)`: from a row of a frame, or `RUN@epoch=3`, to the state of its checkpoint, in a
script or a notebook. Neither the program nor a recording is needed."""

import json
import warnings
from typing import Any, Dict, List, Mapping

from .format.errors import AfterlogError
from .queries import find_checkpoint
from .state.places import Place, place_labels
from .state.plain_state import plain_values
from .store.checkpoint_reader import open_checkpoint


class RestoredState(Dict[str, Any]):
    """What a checkpoint holds, by name: `state["model"]`. Modules and optimizers are what their
    `load_state_dict` takes; tensors lie in main memory."""

    def __init__(self, place: Dict[str, Any]) -> None:
        super().__init__()
        self.run: str = place["run"]
        # The point, as in `RUN@epoch=3`.
        self.at: str = place["at"]
        # False: the row has no checkpoint of its own; this is the newest before it.
        self.exact: bool = place["exact"]
        # What the checkpoint lacks, and why.
        self.absent: Dict[str, str] = {}

    def __repr__(self) -> str:
        return f"<state of {self.run}@{self.at}: {', '.join(self) or 'nothing'}>"


def restore_state(row: Any, folder: str) -> RestoredState:
    """The state at a row or a reference. AL035 if there is no checkpoint."""
    reference = row if isinstance(row, str) else json.dumps(_cells(row))
    place = find_checkpoint(reference, folder)
    if place["language"] != "python":
        raise AfterlogError(
            "AL061",
            f"{place['run']} is a run of {place['program']}, which is no Python",
            [
                "restore it there:  await al.restore(row)",
                "or write its tensors to a file:  "
                f"afterlog restore {place['run']}@{place['at']} --out FILE",
            ],
        )
    state = RestoredState(place)
    if not state.exact:
        text = f"this is {state.run}@{state.at}, the newest before it"
        warnings.warn(f"the row has no checkpoint of its own: {text}", stacklevel=3)
    values: Dict[str, Any] = {}
    sources: Dict[str, str] = {}
    for record in place["checkpoints"]:
        with open_checkpoint(place["folder"], record) as reader:
            structure = reader.structure()
            values.update(_read(structure, reader.tensor, place))
            for captured in structure["places"]:
                sources[captured["key"]] = captured["source"]
                if "absent" in captured:
                    state.absent[captured["key"]] = captured["absent"]
    places = [Place(key, sources[key], lambda: None, lambda _: None) for key in values]
    for label, key in zip(place_labels(places), values):
        state[label] = values[key]
    return state


def _read(structure: Dict[str, Any], read: Any, place: Dict[str, Any]) -> Dict[str, Any]:
    try:
        return plain_values(structure, read, place["root"])
    except ImportError as error:
        name = error.name or str(error)
        raise AfterlogError(
            "AL071",
            f"the state of {place['run']} has values of {name}, which is not installed here",
            [f"install it:  pip install {name}", "or start the interpreter that recorded the run"],
        ) from error


def _cells(row: Any) -> Dict[str, Any]:
    """The cells of a row that say where it is: a dict, a row of a pandas frame, a named tuple."""
    if hasattr(row, "_asdict"):
        row = row._asdict()
    elif hasattr(row, "iterrows"):
        rows: List[Any] = [one for _, one in row.iterrows()]
        if len(rows) != 1:
            raise _no_row(f"a frame of {len(rows)} rows")
        row = rows[0]
    if hasattr(row, "to_dict"):
        row = row.to_dict()
    if not isinstance(row, Mapping) or not isinstance(row.get("run"), str):
        raise _no_row(f"a {type(row).__name__}")
    return {str(name): _plain(cell) for name, cell in row.items()}


def _plain(cell: Any) -> Any:
    if hasattr(cell, "item") and not getattr(cell, "shape", ()):
        cell = cell.item()
    if isinstance(cell, float) and cell != cell:
        return None
    return cell if isinstance(cell, (str, bool, int, float)) else None


def _no_row(what: str) -> AfterlogError:
    return AfterlogError(
        "AL061",
        f"restore() takes a row of a frame or a point of a run, and got {what}",
        [
            'a row:    afterlog.restore(afterlog.frame("loss", "checkpoint")[-1])',
            'a point:  afterlog.restore("RUN@epoch=3")',
            "one row of a pandas frame:  afterlog.restore(df.iloc[-1])",
        ],
    )
