# SPDX-License-Identifier: Apache-2.0
"""A parent with many children, each with a bus and a `cascade-site` of its own."""

import signal
import time

from site_pair import SitePair

# The time in which all children are up for the first time.
START_SECONDS = 120


class SiteFamily(SitePair):
    """`hq`, a nats-server, and the children `c1`, `c2`, … below it. All children use one key."""

    def __init__(self, programs, count):
        self.names = [f"c{number}" for number in range(1, count + 1)]
        self.children = []
        super().__init__(programs, children=self.names)
        for name in self.names:
            self.daemons.append(self.start_daemon(name))
            self.write(f"{name}.yaml", f"""\
name: {name}
bus: "{self.endpoint(name)}"
parent: {{name: hq, server: "{self.host}:{self.port}", key: "{self.folder}/ulm.key", trust: none}}
""")
            self.children.append(self.start_site(name))
        self.wait_for("linked to 'hq'", START_SECONDS)

    def wait_for(self, words, seconds):
        """Waits until each child has written a line with the words, and returns the time of the last one."""
        end = time.monotonic() + seconds
        return max(child.line(words, max(0, end - time.monotonic())) for child in self.children)

    def restart(self, seconds):
        """Kills server and gate, and starts them once all children are cut off. Returns how long after the server
        is back the last child is linked again."""
        self.server.stop(signal.SIGKILL)
        self.sites["hq"].stop(signal.SIGKILL)
        self.wait_for("cut off from 'hq'", seconds)
        ready = self.start_server()
        self.sites["hq"].start()
        return self.wait_for("linked to 'hq'", 2 * seconds) - ready

    @property
    def processes(self):
        return [*self.children, *super().processes]
