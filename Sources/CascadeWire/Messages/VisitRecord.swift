// SPDX-License-Identifier: Apache-2.0

/// One entry of a trail: which responder was asked, and what it answered.
public struct VisitRecord: Hashable, Sendable {
    public var path: NodePath
    /// The responder's place in its node's list.
    public var responder: Int
    public var kind: ResponderKind
    /// The event's name as it was when the responder was asked.
    public var name: EventName
    public var verdict: VerdictCode
    /// Whether the verdict is ``VerdictCode/failed`` because none came before the deadline.
    public var hasTimedOut: Bool
    /// From the visit's departure at the bus to the verdict's arrival there.
    public var microseconds: Int
    /// What an error said of itself to people.
    public var message: String?
    public var title: String?

    package init(
        path: NodePath, responder: Int, kind: ResponderKind, name: EventName,
        verdict: VerdictCode, hasTimedOut: Bool = false, microseconds: Int,
        message: String? = nil, title: String? = nil
    ) {
        self.path = path
        self.responder = responder
        self.kind = kind
        self.name = name
        self.verdict = verdict
        self.hasTimedOut = hasTimedOut
        self.microseconds = microseconds
        self.message = message
        self.title = title
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        path = try NodePath(decoding: parts.text())
        responder = Int(try parts.integer(UInt16.self))
        let kind = ResponderKind(rawValue: try parts.integer())
        name = try EventName(decoding: parts.text())
        let verdict = VerdictCode(rawValue: UInt32(try parts.integer(UInt8.self)))
        microseconds = Int(try parts.integer(UInt32.self))
        guard let kind, let verdict else {
            throw WireError("a trail names an unknown kind of responder or verdict")
        }
        self.kind = kind
        self.verdict = verdict
        message = try parts.optionalText()
        title = try parts.optionalText()
        hasTimedOut = parts.isAtEnd ? false : try parts.integer(UInt8.self) != 0
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.visited) { parts in
            parts.append(path.description)
            parts.append(UInt16(clamping: responder))
            parts.append(kind.rawValue)
            parts.append(name.description)
            parts.append(UInt8(truncatingIfNeeded: verdict.rawValue))
            parts.append(UInt32(clamping: microseconds))
            if message != nil || title != nil || hasTimedOut {
                parts.append(message ?? "")
                parts.append(title ?? "")
            }
            if hasTimedOut {
                parts.append(UInt8(1))
            }
        }
    }
}
