// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The open connections, of which there is a limit. A new one takes the place of the one that has waited
/// longest without a request, so that silent clients keep nobody out.
final class Connections: Sendable {
    /// The number of connections at once.
    static let countMax = 64

    private struct Entry {
        let channel: any Channel
        var isServing = false
    }

    /// The connections; those that have been idle longest first.
    private let entries = Mutex<[Entry]>([])

    /// Adds a connection. Closes another one, or this one, if there are too many.
    func add(_ channel: any Channel) {
        let surplus: (any Channel)? = entries.withLock { entries in
            entries.append(Entry(channel: channel))
            guard entries.count > Self.countMax else {
                return nil
            }
            let idle = entries.firstIndex { !$0.isServing } ?? entries.count - 1
            return entries.remove(at: idle).channel
        }
        surplus?.close(promise: nil)
    }

    /// Records that a request is being answered on a connection, or no longer.
    func setServing(_ channel: any Channel, _ isServing: Bool) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.channel === channel }) else {
                return
            }
            var entry = entries.remove(at: index)
            entry.isServing = isServing
            entries.append(entry)
        }
    }

    func remove(_ channel: any Channel) {
        entries.withLock { $0.removeAll { $0.channel === channel } }
    }
}
