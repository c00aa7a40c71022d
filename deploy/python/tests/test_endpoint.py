# SPDX-License-Identifier: Apache-2.0
"""The endpoint of a worker that names none."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from cascade_bus.endpoint import SYSTEM_ENDPOINT, default_endpoint


class DefaultEndpointTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.directory = self.folder / f"cascade-{os.geteuid()}"

    def endpoint(self, **variables: str) -> str:
        return default_endpoint({"TMPDIR": str(self.folder), **variables})

    def test_a_named_bus_comes_first(self) -> None:
        self.assertEqual(self.endpoint(CASCADE_BUS="tcp://h:1"), "tcp://h:1")

    def test_the_runtime_directory_comes_before_the_temporary_one(self) -> None:
        (self.folder / "cascade").mkdir()
        (self.folder / "cascade/bus.sock").touch()
        self.assertEqual(
            self.endpoint(XDG_RUNTIME_DIR=str(self.folder)), f"ipc://{self.folder}/cascade/bus.sock")

    def test_without_a_runtime_directory_the_bus_is_in_the_temporary_one(self) -> None:
        self.assertEqual(self.endpoint(), SYSTEM_ENDPOINT)
        self.directory.mkdir(mode=0o700)
        self.assertEqual(self.endpoint(), SYSTEM_ENDPOINT)
        (self.directory / "bus.sock").touch()
        self.assertEqual(self.endpoint(), f"ipc://{self.directory}/bus.sock")

    def test_a_directory_with_another_mode_is_not_used(self) -> None:
        self.directory.mkdir()
        self.directory.chmod(0o755)
        (self.directory / "bus.sock").touch()
        self.assertEqual(self.endpoint(), SYSTEM_ENDPOINT)


if __name__ == "__main__":
    unittest.main()
