# SPDX-License-Identifier: Apache-2.0
"""Endpoints of buses, and the keys for a bus on another machine."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping

SYSTEM_ENDPOINT = "ipc:///run/cascade/bus.sock"


@dataclass(frozen=True)
class Keys:
    """The keys for a bus on tcp: the daemon's public key, and the worker's own pair, in Z85."""

    server: str
    public: str
    secret: str

    @classmethod
    def from_file(cls, server: str, path: str | Path) -> Keys:
        """Returns the daemon's key with the pair in a file that `cascadectl keygen` has written."""
        if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
            raise ValueError(f"other users can read the key file {path}; set its mode to 0600")
        pairs: dict[str, str] = {}
        for line in Path(path).read_text(encoding="ascii").splitlines():
            words = line.split()
            if len(words) == 2 and words[0] in ("public", "secret"):
                pairs[words[0]] = words[1]
        if len(pairs) < 2:
            raise ValueError(f"{path} is not a key file of 'cascadectl keygen'")
        return cls(server, pairs["public"], pairs["secret"])


def default_endpoint(environment: Mapping[str, str] = os.environ) -> str:
    """Returns the endpoint that `CASCADE_BUS` names, otherwise the user's, otherwise the system's."""
    named = environment.get("CASCADE_BUS")
    if named:
        return named
    directory = _user_directory(environment)
    if directory and Path(directory, "bus.sock").exists():
        return f"ipc://{directory}/bus.sock"
    return SYSTEM_ENDPOINT


def _user_directory(environment: Mapping[str, str]) -> Path | None:
    """Returns the directory of the user's bus, unless other users have access to it."""
    runtime_directory = environment.get("XDG_RUNTIME_DIR")
    if runtime_directory:
        return Path(runtime_directory, "cascade")
    directory = Path(environment.get("TMPDIR") or "/tmp", f"cascade-{os.geteuid()}")
    try:
        status = os.lstat(directory)
    except OSError:
        return None
    is_private = stat.S_ISDIR(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o700
    return directory if is_private and status.st_uid == os.geteuid() else None


def default_keys(environment: Mapping[str, str] = os.environ) -> Keys | None:
    """Returns the keys that `CASCADE_SERVER_KEY` and `CASCADE_KEY_FILE` name, if both do."""
    server, path = environment.get("CASCADE_SERVER_KEY"), environment.get("CASCADE_KEY_FILE")
    return Keys.from_file(server, path) if server and path else None
