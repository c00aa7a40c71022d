// SPDX-License-Identifier: Apache-2.0

/// An error in a message: a name that responders can match, and a message and title for people.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    private struct Contents: Hashable {
        var name: EventName
        var message: String?
        var title: String?
        var node: NodePath?
        var causes: [Failure]
    }

    /// A reference to the contents, which keeps an optional failure small: most events and verdicts
    /// have none.
    private indirect enum Box: Hashable {
        case contents(Contents)
    }

    private var box: Box

    private var contents: Contents {
        get {
            switch box {
            case .contents(let contents): contents
            }
        }
        set { box = .contents(newValue) }
    }

    public var name: EventName {
        get { contents.name }
        set { contents.name = newValue }
    }

    public var message: String? {
        get { contents.message }
        set { contents.message = newValue }
    }

    /// The title shown above the message. An error with a title is alertable.
    public var title: String? {
        get { contents.title }
        set { contents.title = newValue }
    }

    /// The path of the node where the error began.
    public var node: NodePath? {
        get { contents.node }
        set { contents.node = newValue }
    }

    /// The errors that led to this one, nearest first. Each was being handled when the error before it
    /// in the list was thrown.
    public var causes: [Failure] {
        get { contents.causes }
        set { contents.causes = newValue }
    }

    /// The largest number of causes of an error; older ones are dropped.
    package static let causesMax = 32

    package init(
        name: EventName, message: String? = nil, title: String? = nil, node: NodePath? = nil,
        causes: [Failure] = []
    ) {
        box = .contents(
            Contents(name: name, message: message, title: title, node: node, causes: causes))
    }

    /// Creates one of the bus's own errors.
    package init(_ code: ErrorCode, message: String? = nil, node: NodePath? = nil) {
        self.init(name: EventName(code), message: message, node: node)
    }

    /// The error that led to this one, with its own causes.
    public var cause: Failure? {
        guard var cause = causes.first else {
            return nil
        }
        cause.causes = Array(causes.dropFirst())
        return cause
    }

    /// The error in one line, as in `SoldOut at /shop: no 7`, with control characters escaped for
    /// terminals: the message may be from another process.
    public var description: String {
        let place = node.map { " at \($0)" } ?? ""
        let text = message.map { ": \($0)" } ?? ""
        return "\(name)\(place)\(text)".safeForTerminal
    }

    /// Reads an error from the fields of a message, which may have its name elsewhere; `nil` if they contain
    /// none.
    package init?(fields: FieldReader, named given: EventName? = nil) throws(WireError) {
        var fields = fields
        var name = given
        var message: String?
        var title: String?
        var node: NodePath?
        var causes: [Failure] = []
        while let field = try fields.next() {
            switch field.tag {
            case .errorName where given == nil: name = try EventName(decoding: field.text())
            case .errorMessage: message = try field.text()
            case .errorTitle: title = try field.text()
            case .errorNode: node = try NodePath(decoding: field.text())
            case .errorCause where causes.count < Self.causesMax:
                causes.append(try Failure(cause: field.nested))
            default: break
            }
        }
        guard let name else {
            return nil
        }
        self.init(name: name, message: message, title: title, node: node, causes: causes)
    }

    /// Reads a cause. It has no causes of its own, so a peer cannot choose the depth of the stack.
    private init(cause fields: FieldReader) throws(WireError) {
        var fields = fields
        var cause: Failure?
        while let field = try fields.next() {
            switch field.tag {
            case .errorName: cause = Failure(name: try EventName(decoding: field.text()))
            case .errorMessage: cause?.message = try field.text()
            case .errorTitle: cause?.title = try field.text()
            case .errorNode: cause?.node = try NodePath(decoding: field.text())
            default: break
            }
        }
        guard let cause else {
            throw WireError("a cause of an error does not begin with its name")
        }
        self = cause
    }

    package func write(to fields: inout FieldWriter) {
        writeWithoutCauses(to: &fields)
        for cause in causes {
            fields.append(.errorCause, nested: { nested in cause.writeWithoutCauses(to: &nested) })
        }
    }

    /// Writes where the error began, and what led to it.
    package func writeOrigin(to fields: inout FieldWriter) {
        if let node {
            fields.append(.errorNode, node.description)
        }
        for cause in causes {
            fields.append(.errorCause, nested: { nested in cause.writeWithoutCauses(to: &nested) })
        }
    }

    private func writeWithoutCauses(to fields: inout FieldWriter) {
        fields.append(.errorName, name.description)
        if let message {
            fields.append(.errorMessage, message)
        }
        if let title {
            fields.append(.errorTitle, title)
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

extension ErrorCode {
    /// Creates the code of an error of the bus by its name; `nil` for another name.
    package init?(named name: EventName) {
        guard let code = Self.allCases.first(where: { EventName($0) == name }) else {
            return nil
        }
        self = code
    }
}
