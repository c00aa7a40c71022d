// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The open connections, of which there is a limit. A new one takes the place of the one that has waited
/// longest without a request, else of the one that has taken longest to read an answer, so that neither
/// silent clients nor those that do not read keep others from connecting.
final class Connections: Sendable {
    /// The number of connections at once.
    static let countMax = 64

    /// What a connection does.
    enum Activity: Sendable {
        /// The client has not sent a whole request.
        case idle
        /// The answer to a request is being made.
        case answering
        /// The client has not read the whole answer.
        case sending
    }

    private struct Entry {
        let channel: any Channel
        var activity = Activity.idle
    }

    /// The connections; those whose activity changed longest ago first.
    private let entries = Mutex<[Entry]>([])

    /// Adds a connection. Closes another one, or this one, if there are too many.
    func add(_ channel: any Channel) {
        let surplus: (any Channel)? = entries.withLock { entries in
            entries.append(Entry(channel: channel))
            guard entries.count > Self.countMax else {
                return nil
            }
            // The new one is idle itself, and the last.
            let idle = entries.dropLast().firstIndex { $0.activity == .idle }
            let sending = entries.firstIndex { $0.activity == .sending }
            return entries.remove(at: idle ?? sending ?? entries.count - 1).channel
        }
        surplus?.close(promise: nil)
    }

    /// Records what a connection does from now on.
    func set(_ activity: Activity, of channel: any Channel) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.channel === channel }) else {
                return
            }
            var entry = entries.remove(at: index)
            entry.activity = activity
            entries.append(entry)
        }
    }

    func remove(_ channel: any Channel) {
        entries.withLock { $0.removeAll { $0.channel === channel } }
    }
}
