// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The signals of a site as elements of a queue, for its event loop.
struct SiteSignals {
    enum Signal: Sendable {
        /// SIGTERM or SIGINT.
        case stop
        /// SIGHUP.
        case reload
    }

    let queue: PollableQueue<Signal>

    /// Blocks the signals for this thread and those that it starts, and waits for them on a thread of its own.
    /// Must be called before any other thread exists. Throws `ZeroMQError` if the process has reached a limit.
    init() throws(ZeroMQError) {
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] {
            sigaddset(&set, number)
        }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let queue = try PollableQueue<Signal>()
        self.queue = queue
        let waited = set
        try OwnThread.detached {
            Self.wait(for: waited, queue)
        }
    }

    private static func wait(for set: sigset_t, _ queue: PollableQueue<Signal>) {
        var set = set
        while true {
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0 else {
                continue
            }
            queue.append(contentsOf: [number == SIGHUP ? .reload : .stop])
        }
    }
}
