// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An action for the host to perform: one function of ``BrokerHost`` for each.
package enum Effect: Sendable {
    case send(Header, to: PeerID)
    case sendMessage([UInt8], to: PeerID)
    case forward(Forward)
    case broadcast(Broadcast)
    case disconnect(PeerID)
    indirect case persist(JournalEntry)
    indirect case log(LogEntry)
}

extension [Effect] {
    /// Removes all effects, and keeps their storage. Most inputs have one or two, which are removed
    /// faster singly than by `removeAll(keepingCapacity:)`.
    package mutating func clear() {
        while !isEmpty {
            removeLast()
        }
    }
}
