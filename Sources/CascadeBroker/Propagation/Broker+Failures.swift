// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Failures as events: the failure of a node is raised as an error at its parent, under a name
/// reserved for the bus, and bubbles. Any ancestor can restart, degrade or page.
extension Broker {
    /// Raises an error that a peer can cause with every request: at most once per node and second,
    /// and limited for all peers of its user together. The next one reports how many were left out.
    mutating func raise(
        _ name: EventName, at node: NodeIndex, _ message: String, causedBy peer: PeerID
    ) {
        let account = peers[peer].account
        guard
            let leftOutCount = accounts.admitFault(name, at: node, of: account, now)
        else {
            return
        }
        let suffix = leftOutCount > 0 ? "; \(leftOutCount) more like it were left out" : ""
        raise(
            name, at: node, message + suffix, of: peers[peer].credentials.processID,
            chargedTo: account)
    }

    /// Raises the error if an ancestor responds to it. Its message is charged to the user who
    /// caused it.
    mutating func raise(
        _ name: EventName, at node: NodeIndex, _ message: String, of process: UInt32,
        chargedTo account: AccountIndex
    ) {
        let number = names.existingNumber(of: name) ?? NameIndex.none
        let start = hierarchy.parent(of: node)
        guard start != NodeIndex.none,
            traffic.events.router.nextStop(for: number, .error, at: start, from: 0, in: hierarchy)
                != nil
        else {
            return
        }
        let path = hierarchy.path(of: node)
        let failure = Failure(name: name, message: message, node: path)
        var fields = FieldWriter()
        failure.write(to: &fields)
        let payload = JSONValue.members([
            "path": .string(path.description), "pid": .integer(process),
        ])
        let bytes = Array(payload.text.utf8)
        let milliseconds = configuration.deadlineMilliseconds
        let message = Message(
            origin: Origin(
                node: node, peer: Self.noPeer, session: sessions.own,
                sequence: sessions.nextOwnSequence(), account: account),
            name: number, words: MessageFields(RaisedFields(name: name)), flags: [],
            payload: OwnedPayload(fields: fields.bytes, body: bytes),
            deadline: now.advanced(byMilliseconds: milliseconds), milliseconds: milliseconds,
            causes: 0)
        let event = insert(message, .error, at: start)
        traffic.events[event].be(failure)
        advance(event)
    }

    /// The peer of a message whose outcome is sent to no peer.
    static let noPeer = PeerID(index: .max, generation: 0)
}

/// Rate limit of the errors that the bus raises because of one user's requests.
struct FaultRateLimit: Sendable {
    private struct Place: Hashable {
        var name: EventName
        var node: NodeIndex
    }

    /// Errors in one window, at as many nodes.
    static let placesMax = 10
    private static let windowMilliseconds: UInt32 = 1_000

    private var windowEnd = Instant(nanoseconds: 0)
    private var places: Set<Place> = []
    private var leftOutCount = 0

    /// Returns how many errors were left out since the last one that was raised; `nil` if this one
    /// is left out too.
    mutating func admit(_ name: EventName, at node: NodeIndex, _ now: Instant) -> Int? {
        if windowEnd <= now {
            windowEnd = now.advanced(byMilliseconds: Self.windowMilliseconds)
            places.removeAll()
        }
        guard places.count < Self.placesMax,
            places.insert(Place(name: name, node: node)).inserted
        else {
            leftOutCount += 1
            return nil
        }
        defer { leftOutCount = 0 }
        return leftOutCount
    }
}
