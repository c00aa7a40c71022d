// SPDX-License-Identifier: Apache-2.0

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
