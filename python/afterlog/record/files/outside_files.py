"""The files outside of a replayed project, as the run found them: an overlay.

Reads go to the originals. What is written goes to copies in a folder of the replay's own, which has
the layout of the file system; from then on the copy is what the program finds. An original that was
removed, that has a copy, or that the run itself made is hidden. What the run changed is brought
back where that is possible: a file that has only grown since is as long again as it was.

A place is the one name of a file that several names may lead to.
"""

import os
import shutil
from typing import Callable, Collection, Dict, List, Mapping, Optional, Set

from .watch_files import FOLDER, NOTHING, TREE, WHOLE_BYTES_MAX, Before, fingerprint

# Copies are made of files that are changed or appended to, so many bytes in all.
_COPIED_BYTES_MAX = 4 << 30
# A folder that was changed and is listed becomes a folder of links.
_ENTRIES_MAX = 100_000
_LINKS_MAX = 40


class OutsideFiles:
    def __init__(
        self,
        copies: str,
        before: Mapping[str, Before],
        left: Collection[str],
        refuse: Callable[[str], None],
    ) -> None:
        """`before`: what the run found where it wrote; `left`: files that it left behind."""
        self._copies = copies
        self._left = left
        self._refuse = refuse
        # Places whose originals, and all in them, are not what the program finds there.
        self._hidden: Set[str] = set()
        # What the run wrote to: what it found there, until that is brought back.
        self._before = {self.place(file, False): what for file, what in before.items()}
        self._written = set(self._before)
        self._hidden = {place for place, (what, _) in self._before.items() if what == NOTHING}
        self._copied_bytes = 0
        # Whether there are files that only this process finds.
        self.has_written = False
        # Files whose content cannot be had, and why.
        self._lost: Dict[str, str] = {}
        # Of one that was just moved away; it is written elsewhere next.
        self._moved: Optional[str] = None
        for place, (what, _) in list(self._before.items()):
            if what in (FOLDER, TREE):
                self._settle(place)

    @property
    def is_untouched(self) -> bool:
        """Whether every original is still what the program finds."""
        return not self._hidden and not self._before

    def is_untouched_among(self, is_among: Callable[[str], bool]) -> bool:
        """The same for some of them."""
        return not any(map(is_among, self._hidden)) and not any(map(is_among, self._before))

    def use(self, use: str, place: str) -> str:
        """Where the program does it (uses: `led_calls.py`)."""
        self._refuse_lost(use, place)
        if use in ("list", "enter"):
            return self._list(place)
        if use in ("read", "look", "link"):
            return self.find(place)
        if self._is_denied(place):
            return place
        if use == "make":
            return self._make(place)
        if use == "remove":
            return self._remove(place)
        if use == "move":
            return self._move(place)
        return self._write(place, use != "write")

    def place(self, file: str, follows: bool) -> str:
        """Of a link: what it leads to, if it follows, else the link itself."""
        at, rest, links = os.sep, _parts(file), 0
        while rest:
            below = os.path.join(at, rest.pop(0))
            link = self._link_at(below) if (rest or follows) and links < _LINKS_MAX else None
            if link is None:
                at = below
            else:
                at, rest, links = os.sep, _parts(os.path.join(at, link)) + rest, links + 1
        return at

    def find(self, place: str) -> str:
        """Where what the program finds at this place is, if anything is."""
        self._settle(place)
        if not self._hidden:
            return place
        copy = self._copies + place
        if os.path.lexists(copy):
            return place if self._is_ours(copy) else copy
        return copy if self._is_hidden(place) else place

    def _refuse_lost(self, use: str, place: str) -> None:
        """That something is there, and how large it is, is known of what cannot be had."""
        if not self._lost or use not in ("read", "change", "list", "enter", "look", "link"):
            return
        at = os.path.dirname(place) if use in ("look", "link") else place
        while at not in self._lost and at != os.path.dirname(at):
            at = os.path.dirname(at)
        if at in self._lost:
            self._refuse(self._lost[at])

    def _write(self, place: str, keeps: bool) -> str:
        """Where it is to be written; with what is there now if that is kept."""
        found, copy = self.find(place), self._copies + place
        if os.path.isdir(found):
            return self._make_copy_of_folder(place)
        # What cannot be written there is the program's to meet.
        if not self._has_folder(place):
            return found
        if not os.path.lexists(copy) or self._is_ours(copy):
            self._make_room(place)
            if keeps and found == place and os.path.isfile(place):
                self._bring(place)
        if not keeps:
            self._lost.pop(place, None)
        if self._moved is not None:
            self._lost[place], self._moved = self._moved, None
        self.has_written = True
        self._hidden.add(place)
        return copy

    def _make(self, folder: str) -> str:
        """Where a folder is to be made; one that is there is met by the program."""
        found = self.find(folder)
        if os.path.lexists(found) or not self._has_folder(folder):
            return found
        self._make_room(folder)
        self._hidden.add(folder)
        return self._copies + folder

    def _remove(self, place: str) -> str:
        """Where there is something to be removed in its stead; a folder has what is in it."""
        found, copy = self.find(place), self._copies + place
        if not os.path.lexists(found):
            return found
        if os.path.isdir(found) and not os.path.islink(found):
            self._make_copy_of_folder(place)
        elif found != copy:
            self._make_room(place)
            _make_file(copy, 0)
        self._lost.pop(place, None)
        self._hidden.add(place)
        return copy

    def _move(self, place: str) -> str:
        """What is to be moved away."""
        found, copy = self.find(place), self._copies + place
        if os.path.isdir(found) and not os.path.islink(found):
            self._copy_all_in(place)
        elif os.path.lexists(found):
            copy = self._write(place, True)
        self._moved = self._lost.pop(place, None)
        self._hidden.add(place)
        return copy

    def _list(self, folder: str) -> str:
        """A folder with everything that the program finds in it."""
        found = self.find(folder)
        inside = os.path.join(folder, "")
        for place in [one for one in self._before if one.startswith(inside)]:
            self._settle(place)
        if not os.path.isdir(found) or not any(one.startswith(inside) for one in self._hidden):
            return found
        return self._make_copy_of_folder(folder)

    def _make_copy_of_folder(self, folder: str) -> str:
        """With links to what lies in the original, beside what lies in the copy already."""
        copy = self._copies + folder
        self._make_room(os.path.join(folder, "any"))
        names = [] if self._is_hidden(folder) or not os.path.isdir(folder) else os.listdir(folder)
        if len(names) > _ENTRIES_MAX:
            self._refuse(f"{folder} was changed, and has more than {_ENTRIES_MAX} entries")
        for name in names:
            place, link = os.path.join(folder, name), os.path.join(copy, name)
            if place not in self._hidden and not os.path.lexists(link):
                os.symlink(place, link)
        return copy

    def _copy_all_in(self, folder: str) -> None:
        for name in os.listdir(self._make_copy_of_folder(folder)):
            place = os.path.join(folder, name)
            if not self._is_ours(self._copies + place):
                continue
            if os.path.isdir(place) and not os.path.islink(place):
                self._copy_all_in(place)
            else:
                os.remove(self._copies + place)
                self._bring(place)

    def _settle(self, place: str) -> None:
        """Brings back what the run found there, if it was changed since."""
        what, size = self._before.pop(place, (NOTHING, 0))
        if what == NOTHING or (what == FOLDER and os.path.isdir(place)):
            return
        whole = WHOLE_BYTES_MAX if what.startswith("sha256:") else 0
        now = fingerprint(place, whole)
        if now is not None and now["hash"] == what:
            return
        copy = self._copies + place
        self._make_room(place)
        self._hidden.add(place)
        if what in (FOLDER, TREE):
            os.makedirs(copy, exist_ok=True)
            if what == TREE:
                self._lost[place] = _unlike(place)
            return
        if now is not None and now["bytes"] > size:
            self._bring(place)
            os.truncate(copy, size)
        brought = fingerprint(copy, whole)
        if brought is None or brought["hash"] != what:
            _make_file(copy, size)
            self._lost.setdefault(place, _unlike(place))

    def _bring(self, place: str) -> None:
        """Copies a file; of one that cannot be copied there is only the size."""
        copy, size = self._copies + place, os.path.getsize(place)
        self._copied_bytes += size
        try:
            if self._copied_bytes <= _COPIED_BYTES_MAX:
                shutil.copy2(place, copy)
                return
            why = f"more than {_COPIED_BYTES_MAX >> 30} GiB of files would be copied"
        except OSError as error:
            why = str(error)
        _make_file(copy, size)
        self._lost[place] = f"{place} was written to, and could not be copied: {why}"

    def _make_room(self, place: str) -> None:
        """The folder for a copy, in which no link of ours leads to originals."""
        at = self._copies
        os.makedirs(at, exist_ok=True)
        for part in _parts(os.path.dirname(place)):
            at = os.path.join(at, part)
            if self._is_ours(at):
                os.remove(at)
            if not os.path.isdir(at):
                os.mkdir(at)
        if self._is_ours(self._copies + place):
            os.remove(self._copies + place)

    def _has_folder(self, place: str) -> bool:
        """The run wrote there: then it had one."""
        return place in self._written or os.path.isdir(self.find(os.path.dirname(place)))

    def _is_denied(self, place: str) -> bool:
        """Whether the program may not write to an original, as it could not in the run."""
        if place in self._left or self.find(place) != place:
            return False
        existing = place if os.path.exists(place) else os.path.dirname(place)
        return os.path.exists(existing) and not os.access(existing, os.W_OK)

    def _link_at(self, place: str) -> Optional[str]:
        copy = self._copies + place
        if os.path.lexists(copy) and not self._is_ours(copy):
            return os.readlink(copy) if os.path.islink(copy) else None
        if self._is_hidden(place) or not os.path.islink(place):
            return None
        return os.readlink(place)

    def _is_ours(self, copy: str) -> bool:
        """Whether it is a link that stands for the original."""
        return os.path.islink(copy) and os.readlink(copy) == copy[len(self._copies) :]

    def _is_hidden(self, place: str) -> bool:
        while self._hidden and place not in self._hidden:
            place, below = os.path.dirname(place), place
            if place == below:
                return False
        return bool(self._hidden)


def _unlike(place: str) -> str:
    found = "has changed since" if os.path.exists(place) else "is missing:"
    return f"{place} {found} the run found it"


def _make_file(path: str, size: int) -> None:
    with open(path, "wb") as file:
        file.truncate(size)


def _parts(path: str) -> List[str]:
    return [part for part in os.path.normpath(path).split(os.sep) if part]
