// SPDX-License-Identifier: Apache-2.0

/// The answer to a query for the bus: the daemon's identity, its counters and its limits.
package struct BusAnswer: WireMessage {
    package static let command = Command.answer

    package var request: UInt64
    package var bus: String
    package var release: String
    package var processID: UInt32
    package var ageMicroseconds: UInt64
    /// The start of the daemon on its wall clock, the same in each answer. `nil` from a daemon that
    /// does not send it.
    package var since: Timestamp?
    package var counters: [NamedNumber]
    package var limits: [NamedNumber]
    /// The used amounts of those limits whose use is counted.
    package var uses: [NamedNumber]

    package init(
        request: UInt64, bus: String, release: String, processID: UInt32, ageMicroseconds: UInt64,
        counters: [NamedNumber], limits: [NamedNumber], uses: [NamedNumber] = []
    ) {
        self.request = request
        self.bus = bus
        self.release = release
        self.processID = processID
        self.ageMicroseconds = ageMicroseconds
        self.counters = counters
        self.limits = limits
        self.uses = uses
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(
            request: header.id, bus: "", release: "", processID: 0,
            ageMicroseconds: header.sequence, counters: [], limits: [])
        while let field = try fields.next() {
            switch field.tag {
            case .bus: bus = try field.text()
            case .release: release = try field.text()
            case .processID: processID = try field.integer()
            case .counter: counters.append(try NamedNumber(field))
            case .limit: limits.append(try NamedNumber(field))
            case .use: uses.append(try NamedNumber(field))
            case .moment:
                since = Timestamp(microseconds: Int64(bitPattern: try field.integer()))
            default: break
            }
        }
    }

    package var header: Header {
        Header(.answer, id: request, sequence: ageMicroseconds)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.bus, bus)
        fields.append(.release, release)
        fields.append(.processID, processID)
        if let since {
            fields.append(.moment, UInt64(bitPattern: since.microseconds))
        }
        for counter in counters {
            counter.write(as: .counter, to: &fields)
        }
        for limit in limits {
            limit.write(as: .limit, to: &fields)
        }
        for use in uses {
            use.write(as: .use, to: &fields)
        }
    }
}

/// The answer to a query for the tree: its nodes, depth first, children in the order of their
/// creation; or the nodes that have changed, in the order in which they did.
package struct TreeAnswer: WireMessage {
    package static let command = Command.answer

    package var request: UInt64
    package var nodes: [NodeSnapshot]
    /// The version of the tree that the reader has with this answer, from 1, if the query is for its changes;
    /// 0 for any other query, and from a daemon that tells no changes.
    package var version: UInt64 = 0
    /// Whether it has only what changed since the answer before.
    package var hasOnlyChanges = false
    /// The numbers of the nodes that went. They went before any of ``nodes`` came.
    package var gone: [UInt32] = []

    package init(request: UInt64, nodes: [NodeSnapshot]) {
        self.request = request
        self.nodes = nodes
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, nodes: [])
        version = header.sequence
        while let field = try fields.next() {
            switch field.tag {
            case .changes: hasOnlyChanges = true
            case .gone: gone.append(try field.integer())
            case .node: nodes.append(try NodeSnapshot(fields: field.nested))
            default: break
            }
        }
    }

    package var header: Header {
        Header(.answer, id: request, sequence: version)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.changes, if: hasOnlyChanges)
        for number in gone {
            fields.append(.gone, number)
        }
        for node in nodes {
            fields.append(.node) { inner in node.write(to: &inner) }
        }
    }
}

/// The answer to a query for subscribers: recipients of a publication, for each destination, in the
/// order in which they would be called.
package struct SubscribersAnswer: WireMessage {
    package static let command = Command.answer

    package var request: UInt64
    package var last: [NodePath] = []
    package var lastLevel: [NodePath] = []
    package var firstLevel: [NodePath] = []
    package var all: [NodePath] = []

    package init(request: UInt64) {
        self.request = request
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id)
        while let field = try fields.next() {
            guard field.tag == .recipient else {
                continue
            }
            var parts = field.parts
            let destination = PublishingDestination(rawValue: UInt32(try parts.integer(UInt8.self)))
            let path = try NodePath(decoding: parts.text())
            if let destination {
                self[destination].append(path)
            }
        }
    }

    package var header: Header {
        Header(.answer, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        for destination in PublishingDestination.allCases {
            for path in self[destination] {
                fields.append(.recipient) { parts in
                    parts.append(UInt8(truncatingIfNeeded: destination.rawValue))
                    parts.append(path.description)
                }
            }
        }
    }

    package subscript(destination: PublishingDestination) -> [NodePath] {
        get {
            switch destination {
            case .last: last
            case .lastLevel: lastLevel
            case .firstLevel: firstLevel
            case .all: all
            }
        }
        set {
            switch destination {
            case .last: last = newValue
            case .lastLevel: lastLevel = newValue
            case .firstLevel: firstLevel = newValue
            case .all: all = newValue
            }
        }
    }
}

/// The answer to each of the other queries: a JSON document.
package struct DocumentAnswer: WireMessage {
    package static let command = Command.answer

    package var request: UInt64
    package var document: String

    package init(request: UInt64, document: String) {
        self.request = request
        self.document = document
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, document: "")
        while let field = try fields.next() {
            if field.tag == .document {
                document = try field.text()
            }
        }
    }

    package var header: Header {
        Header(.answer, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.document, document)
    }
}
