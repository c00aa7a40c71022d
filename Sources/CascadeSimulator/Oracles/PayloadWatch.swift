// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker
import CascadeWire

/// The payloads that a broker has been handed or has sent, as long as anything refers to them.
///
/// Plays the part of the memory's owner too: it says when a header may be written over a payload.
package struct PayloadWatch {
    private struct Entry {
        weak var payload: Payload?
        /// Visits that may still be queued for a peer, so that the bytes must not be overwritten.
        var readers: Set<UInt64> = []
        /// The header that it was sent under last.
        var header: Header?
        /// Whether its memory has been given away, with the last send.
        var isGone = false
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// What was sent with each visit that has not been read.
    private var visits: [UInt64: ObjectIdentifier] = [:]
    /// Those whose memory has been given away since the last look.
    private var gone: [ObjectIdentifier] = []
    /// At so many entries, those of payloads that are no more are forgotten.
    private var entriesMax = 64

    package init() {}

    /// How many are there.
    package var count: Int {
        entries.values.count { $0.payload != nil }
    }

    /// A payload comes in.
    package mutating func insert(_ payload: Payload) {
        entries[ObjectIdentifier(payload)] = Entry(payload: payload)
    }

    /// The payload is sent. Returns what is wrong with that, if anything is.
    package mutating func send(_ sent: Effect.Forward) -> String? {
        let (payload, header, isLast) = (sent.payload, sent.header, sent.isLast)
        let key = ObjectIdentifier(payload)
        var entry = entries[key] ?? Entry()
        if entry.payload !== payload {
            // The broker has made it itself.
            entry = Entry(payload: payload)
        }
        guard !entry.isGone else {
            return "a message is sent after its last send"
        }
        var fault: String?
        if entry.header != header {
            if payload.mayBeQueued {
                // A copy goes out, and stays.
                entry.readers = []
            } else if !entry.readers.isEmpty {
                fault = "a header over a message that may still be queued"
            }
        }
        if header.command == .visit, !isLast {
            entry.readers.insert(header.id)
            visits[header.id] = key
        }
        entry.header = header
        entry.isGone = isLast
        payload.mayBeQueued = !isLast
        entries[key] = entry
        if isLast {
            gone.append(key)
        }
        return fault
    }

    /// The visit has been read by its peer.
    package mutating func answered(_ delivery: UInt64) {
        if let payload = visits.removeValue(forKey: delivery) {
            entries[payload]?.readers.remove(delivery)
        }
    }

    /// All effects of an input have been carried out, and have gone like the input. Returns what is
    /// wrong with what is left, if anything is.
    package mutating func settle() -> String? {
        let isKept = gone.contains { entries[$0]?.isGone == true && entries[$0]?.payload != nil }
        gone = []
        if entries.count > entriesMax {
            entries = entries.filter { $0.value.payload != nil }
            entriesMax = 64 + 2 * entries.count
            visits = visits.filter { entries[$0.value] != nil }
        }
        return isKept ? "a message is referred to after its last send" : nil
    }
}
