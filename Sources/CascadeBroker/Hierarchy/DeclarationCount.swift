// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The bounds of one message that declares nodes. A session that resumes declares all its nodes in
/// one message, so the bounds of a message are those of a session.
extension Limits {
    /// The number of steps that one attach may take along the paths of its nodes: 32 components
    /// for each node of a session. A step is a lookup of some 0.1 µs, made twice.
    var attachStepCountMax: Int {
        max(32 * Int(nodesPerSession), 2 * Int(depth))
    }

    /// The number of fields that a message may have, those within nodes included: to decode one
    /// takes some 0.2 µs, before anything else can be checked.
    private var fieldCountMax: Int {
        Int(declarationsPerSession) + 16 * Int(nodesPerSession)
    }

    /// The least bytes of a field: its tag and its length.
    private static let fieldByteCountMin = 6

    /// Throws if a path has more bytes than the bus takes.
    func checkPath(byteCount: Int) throws(WireError) {
        guard byteCount <= Int(pathBytes) else {
            throw WireError(
                .badPath,
                "the path has \(byteCount) bytes, more than \(pathBytes) (limit pathBytes)")
        }
    }

    /// Throws if there are more fields than a message may have, or the path of a node is too long.
    /// They are not decoded then.
    func checkFields(of payload: Payload, _ header: Header) throws(WireError) {
        let declares = header.command == .attach || header.command == .change
        guard declares || Int(header.fieldsLength) > Self.fieldByteCountMin * fieldCountMax else {
            return
        }
        var count = 0
        var fields = payload.fieldReader
        while let field = try fields.next() {
            count += 1
            if declares, field.tag == .node {
                count += try checkNode(field.nested)
            }
            guard count <= fieldCountMax else {
                throw WireError(
                    .limitReached,
                    "the message has more than \(fieldCountMax) fields, as many as a session "
                        + "needs to declare all that it may (limit declarationsPerSession)")
            }
        }
    }

    /// Returns the number of the node's fields.
    private func checkNode(_ fields: FieldReader) throws(WireError) -> Int {
        var fields = fields
        var count = 0
        while let field = try fields.next() {
            count += 1
            if field.tag == .path {
                try checkPath(byteCount: field.byteCount)
            }
        }
        return count
    }
}

extension Broker {
    /// Throws if a session would declare too much.
    ///
    /// - Parameter count: how much more it would declare than it does.
    func checkDeclarations(_ count: Int, of peer: PeerID) throws(WireError) {
        try check(
            peers[peer].declarationCount + count, "declarations of one session",
            configuration.limits.declarationsPerSession, named: "declarationsPerSession")
    }

    /// The declaration of a node takes the place of the one before.
    mutating func countDeclarations(_ count: Int, at node: NodeIndex, of peer: PeerID) {
        peers[peer].countDeclared(count - accounts.declared(at: node).declarationCount)
        accounts.declare(at: node, declarationCount: count)
    }
}

extension NodeDeclaration {
    /// The weight of the node's declaration, by the time that it takes: reading and numbering a
    /// name takes some 4 µs, and compiling 64 bytes of a predicate takes as long.
    var declarationCount: Int {
        let texts = responders.compactMap(\.when) + assignments.rules
        return texts.reduce(
            responders.count + subscriptions.count + standIns.count + (triggers?.count ?? 0)
                + (reports?.count ?? 0)
                + assignments.settings.count + assignments.watchedKeys.count
                + assignments.offers.count + assignments.watchedPreferences.count
                + assignments.rules.count
        ) {
            $0 + $1.utf8.count / 64
        }
    }
}
