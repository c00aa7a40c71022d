# SPDX-License-Identifier: Apache-2.0
"""Measurements of processes: resources reported by the kernel, quantiles, and tables in Markdown."""

import os
import threading

MIB = 1024 * 1024


def resident(process):
    """Returns the resident memory of a process in bytes: the current and the peak value."""
    with open(f"/proc/{process}/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return tuple(int(lines[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))


def descriptors(process):
    """Returns the number of open descriptors of a process."""
    return len(os.listdir(f"/proc/{process}/fd"))


class Sampler(threading.Thread):
    """Samples the descriptors of a process five times a second and stores the maximum, until stopped."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.is_stopped = process, threading.Event()
        self.descriptors = 0
        self.start()

    def run(self):
        while not self.is_stopped.wait(0.2):
            try:
                self.descriptors = max(self.descriptors, descriptors(self.process))
            except OSError:
                return

    def stop(self):
        self.is_stopped.set()
        self.join()


def quantile(values, part):
    """Returns a quantile of the values, with `part` between 0 and 1; NaN without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else float("nan")


def milliseconds(value):
    return f"{value:,.2f}" if value < 10 else f"{value:,.0f}"


def mebibytes(value):
    return f"{value / MIB:,.0f}"


def table(head, rows):
    """Returns a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
