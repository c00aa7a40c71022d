// SPDX-License-Identifier: Apache-2.0

/// An error as it crosses the wire: a name that responders can match, and words for people.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    private struct Words: Hashable {
        var name: EventName
        var message: String?
        var title: String?
        var node: NodePath?
        var causes: [Failure]
    }

    /// One reference: most events and verdicts have a place for a failure and none in it.
    private indirect enum Box: Hashable {
        case words(Words)
    }

    private var box: Box

    private var words: Words {
        get {
            switch box {
            case .words(let words): words
            }
        }
        set { box = .words(newValue) }
    }

    public var name: EventName {
        get { words.name }
        set { words.name = newValue }
    }

    public var message: String? {
        get { words.message }
        set { words.message = newValue }
    }

    /// What heads the message where people see it; an error with a title is alertable.
    public var title: String? {
        get { words.title }
        set { words.title = newValue }
    }

    /// Where it began.
    public var node: NodePath? {
        get { words.node }
        set { words.node = newValue }
    }

    /// The errors that led to this one, nearest first: each was being handled when the one before
    /// it was thrown.
    public var causes: [Failure] {
        get { words.causes }
        set { words.causes = newValue }
    }

    /// Older causes are forgotten.
    package static let causesMax = 32

    package init(
        name: EventName, message: String? = nil, title: String? = nil, node: NodePath? = nil,
        causes: [Failure] = []
    ) {
        box = .words(
            Words(name: name, message: message, title: title, node: node, causes: causes))
    }

    /// One of the bus's own errors.
    package init(_ code: ErrorCode, message: String? = nil, node: NodePath? = nil) {
        self.init(name: EventName(code), message: message, node: node)
    }

    /// What led to it, if anything did.
    public var cause: Failure? {
        guard var cause = causes.first else {
            return nil
        }
        cause.causes = Array(causes.dropFirst())
        return cause
    }

    public var description: String {
        let place = node.map { " at \($0)" } ?? ""
        let words = message.map { ": \($0)" } ?? ""
        return "\(name)\(place)\(words)"
    }

    /// `nil` if there is no error among the fields.
    package init?(fields: FieldReader) throws(WireError) {
        var fields = fields
        var name: EventName?
        var message: String?
        var title: String?
        var node: NodePath?
        var causes: [Failure] = []
        while let field = try fields.next() {
            switch field.tag {
            case .errorName: name = try EventName(decoding: field.text())
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

    /// A cause has no causes of its own, so that reading it needs no stack.
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
            throw WireError("the cause of an error has no name in front")
        }
        self = cause
    }

    package func write(to fields: inout FieldWriter) {
        writeItself(to: &fields)
        for cause in causes {
            fields.append(.errorCause, nested: { nested in cause.writeItself(to: &nested) })
        }
    }

    private func writeItself(to fields: inout FieldWriter) {
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
