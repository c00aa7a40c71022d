// SPDX-License-Identifier: Apache-2.0

/// An error as it crosses the wire: a name that responders can match, and words for people.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public var name: EventName
    public var message: String?
    /// Where it began.
    public var node: NodePath?

    package init(name: EventName, message: String? = nil, node: NodePath? = nil) {
        self.name = name
        self.message = message
        self.node = node
    }

    /// One of the bus's own errors.
    package init(_ code: ErrorCode, message: String? = nil, node: NodePath? = nil) {
        self.init(name: EventName(code), message: message, node: node)
    }

    public var description: String {
        let place = node.map { " at \($0)" } ?? ""
        let words = message.map { ": \($0)" } ?? ""
        return "\(name)\(place)\(words)"
    }

    /// `nil` if there is no error among the fields.
    init?(fields: FieldReader) throws(WireError) {
        var fields = fields
        var name: EventName?
        var message: String?
        var node: NodePath?
        while let field = try fields.next() {
            switch field.tag {
            case .errorName: name = try EventName(decoding: field.text())
            case .errorMessage: message = try field.text()
            case .errorNode: node = try NodePath(decoding: field.text())
            default: break
            }
        }
        guard let name else {
            return nil
        }
        self.init(name: name, message: message, node: node)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.errorName, name.description)
        if let message {
            fields.append(.errorMessage, message)
        }
        if let node {
            fields.append(.errorNode, node.description)
        }
    }
}

extension EventName {
    /// The name of one of the bus's own errors.
    package init(_ code: ErrorCode) {
        self.init(unchecked: "\(code)")
    }
}
