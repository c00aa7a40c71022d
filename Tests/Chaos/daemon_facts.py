# SPDX-License-Identifier: Apache-2.0
"""The resources of a process from the kernel, the times in histories, and tables of both."""

import os
import threading

MIB = 1024 * 1024


def resident(process):
    """Bytes of resident memory: now, and at the peak."""
    with open(f"/proc/{process}/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return tuple(int(lines[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


class Sampler(threading.Thread):
    """Samples a process several times a second, until stopped."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.is_over = process, threading.Event()
        self.descriptors = 0
        self.start()

    def run(self):
        while not self.is_over.wait(0.2):
            try:
                self.descriptors = max(self.descriptors, descriptors(self.process))
            except OSError:
                return

    def stop(self):
        self.is_over.set()
        self.join()


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else float("nan")


def milliseconds(value):
    return f"{value:,.2f}" if value < 10 else f"{value:,.0f}"


def mebibytes(value):
    return f"{value / MIB:,.0f}"


def table(head, rows):
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
