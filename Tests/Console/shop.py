# SPDX-License-Identifier: Apache-2.0
"""The print shop on a bus of its own, for the tests and the pictures."""

import pathlib
import shutil
import subprocess

from running import Bus, program

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = [
    ("/shop", "print-shop-floor", "--out", "out"),
    ("/shop/photo", "print-shop-printer", "photo", "--takes", "png", "jpeg", "pdf", "--limit", "33554432",
     "--out", "out"),
    ("/shop/photo/laser", "print-shop-printer", "laser", "--takes", "text", "pdf", "--below", "/shop/photo",
     "--out", "out"),
    ("/shop/counter", "print-shop-display", "counter", "--screen", "out/counter.txt"),
    ("/shop/photo/laser/spool", "print-shop-spool", "spool", "--below", "/shop/photo/laser"),
]


class Shop(Bus):
    """A bus with the print shop and its rules. Files that are put into its spool become events."""

    def __init__(self, *arguments):
        super().__init__("--rules", str(ROOT / "Sources/Examples/PrintShop/print-shop.rules"), *arguments)
        self.folder = pathlib.Path(self.directory)
        (self.folder / "out").mkdir()
        self.spool = self.folder / "spool"
        self.printers = {}
        for path, *command in PROGRAMS:
            self.occupy(path, *command)

    def occupy(self, path, *command):
        """Starts the process of a place, and waits until it is live."""
        process = subprocess.Popen(
            [program(command[0]), *command[1:]], cwd=self.folder, env=self.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.nodes.append(process)
        self.printers[path] = process
        self.ctl("wait", path)

    def put(self, name, content):
        """Puts a file into the spool, whole at once."""
        file = self.folder / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        file.rename(self.spool / name)

    def put_long(self, name="long.txt"):
        """Puts a text that is too long for the laser."""
        self.put(name, "".join(f"{n}\n" for n in range(200_000)))

    def put_program(self, name="true"):
        """Puts a file that no printer takes."""
        file = self.folder / name
        shutil.copy("/bin/true", file)
        file.rename(self.spool / name)
