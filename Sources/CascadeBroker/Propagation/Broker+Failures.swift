// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Failures as events: what goes wrong with a node arises as an error at its parent, under a name
/// that nobody else can use, and bubbles. Any ancestor can restart, degrade or page.
extension Broker {
    /// What can go wrong with a node.
    enum Trouble: String {
        case nodeLost = "cascade.NodeLost"
        case nodeSlow = "cascade.NodeSlow"
        case quotaReached = "cascade.QuotaReached"
        case callDenied = "cascade.CallDenied"
    }

    /// Raises the trouble, if somebody above the node responds to it.
    mutating func raise(_ trouble: Trouble, at node: UInt32, _ message: String, of process: UInt32)
    {
        let name = EventName(trouble)
        let number = names.existingNumber(of: name) ?? NameTable.none
        let start = hierarchy[node].parent
        guard start != Header.noNode,
            router.nextStop(for: number, .error, at: start, from: 0, in: hierarchy) != nil
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
        let composed = composed.next(byteCount: fields.bytes.count + bytes.count)
        effects.append(.compose(composed, fields: fields.bytes, payload: bytes))
        let milliseconds = configuration.deadlineMilliseconds
        let message = RaisedMessage(
            origin: Origin(
                node: node, peer: Self.nobody, session: ownSession,
                sequence: nextOwnSequence()),
            name: number, words: RaisedWords(Raised(name: name)), flags: [], payload: composed,
            fieldsLength: UInt32(fields.bytes.count),
            deadline: now.advanced(byMilliseconds: milliseconds), milliseconds: milliseconds,
            causes: 0)
        let event = insert(message, .error, at: start)
        propagations[event].failure = failure
        advance(event)
    }

    /// Stands where a peer would wait for the outcome.
    static let nobody = PeerID(index: .max, generation: 0)

    /// What the bus itself raises has the ID of no other session.
    private mutating func nextOwnSequence() -> UInt64 {
        lastOwnSequence += 1
        return lastOwnSequence
    }
}

extension EventName {
    fileprivate init(_ trouble: Broker.Trouble) {
        // The names are right by themselves.
        self.init(unchecked: trouble.rawValue)
    }
}
