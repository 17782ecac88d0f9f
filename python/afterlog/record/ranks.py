"""Trainings of several processes: which of them this is, and how many there are.

The first one records. What it computed depends on what the others sent, so that no process alone
can repeat it; the manifest says how many there were."""

import os
import socket
import sys
from typing import Mapping, NamedTuple, Optional

# What a launcher tells each process of its own number and of how many there are: torchrun and most
# others, Open MPI, MPICH, a step of Slurm.
_VARIABLES = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)


class Ranks(NamedTuple):
    own: int
    all: int


def told_ranks(environment: Optional[Mapping[str, str]] = None) -> Optional[Ranks]:
    """By the environment: the first launcher that says something is believed; None if none does."""
    variables = os.environ if environment is None else environment
    for rank_variable, count_variable in _VARIABLES:
        rank = variables.get(rank_variable, "")
        if rank.isdigit():
            count = variables.get(count_variable, "")
            return Ranks(int(rank), max(int(rank) + 1, int(count) if count.isdigit() else 1))
    return None


def is_launched() -> bool:
    """Whether a launcher has told the process what `torch.distributed` asks for."""
    return "RANK" in os.environ


def count_ranks() -> int:
    """How many train together, as far as is known by now."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_world_size())
    except Exception:
        pass  # half loaded, or of another make: the environment tells
    ranks = told_ranks()
    return 1 if ranks is None else ranks.all


def stand_in_for_launcher(ranks: Optional[int]) -> None:
    """A run that a launcher started as the only process is repeated without it: its program is told
    what the launcher would tell."""
    if ranks != 1 or told_ranks() is not None:
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    alone = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1"}
    for name, value in {**alone, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}.items():
        os.environ.setdefault(name, value)
