# SPDX-License-Identifier: Apache-2.0
"""Buses that are sites of one realm, joined by connections on this machine, for the tests."""

import os
import subprocess

from running import Bus, await_true, program


class Site(Bus):
    """A bus with a 'cascade-site'; with a parent it stands at a mount of the parent's bus."""

    def __init__(self, name, parent=None, mount=None):
        super().__init__()
        self.site = None
        self.configuration = os.path.join(self.directory, "site.yaml")
        self.log = os.path.join(self.directory, "site.log")
        self.parent, self.mount = parent, mount
        lines = [f"name: {name}", f'bus: "{self.endpoint}"']
        if parent:
            lines.append(
                f'parent: {{name: {parent.name}, bus: "{parent.endpoint}", mount: {mount}}}')
        self.name = name
        with open(self.configuration, "w") as file:
            file.write("\n".join(lines) + "\n")
        self.join()

    def join(self):
        """Starts the site's program, and waits until it is linked."""
        with open(self.log, "w") as log:
            self.site = subprocess.Popen(
                [program("cascade-site"), "--config", self.configuration], stderr=log,
                stdout=subprocess.DEVNULL)
        if self.parent:
            await_true(lambda: f"linked to '{self.parent.name}'" in self.said, "the link")

    @property
    def said(self):
        with open(self.log) as log:
            return log.read()

    def leave(self):
        """Kills the site's program, so that its place is vacant."""
        self.site.kill()
        self.site.wait()

    def close(self):
        if self.site.poll() is None:
            self.leave()
        super().close()
