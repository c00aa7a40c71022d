// SPDX-License-Identifier: Apache-2.0

/// One entry of a node's ordered list of responders.
package struct ResponderDeclaration: Hashable, Sendable {
    package var kind: ResponderKind
    /// The name that it responds to; `nil` for every name.
    package var name: EventName?
    /// The text of the predicate that must be true for a visit; `nil` for none.
    package var when: String?

    package init(_ kind: ResponderKind, _ name: EventName?, when: String? = nil) {
        self.kind = kind
        self.name = name
        self.when = when
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        let number: UInt8 = try parts.integer()
        guard let kind = ResponderKind(rawValue: number) else {
            throw WireError("there is no kind of responder \(number)")
        }
        let name = try parts.text()
        self.init(kind, name == NameRule.wildcard ? nil : try EventName(decoding: name))
        if !parts.isAtEnd {
            when = try parts.text()
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.responder) { parts in
            parts.append(kind.rawValue)
            parts.append(name?.description ?? NameRule.wildcard)
            if let when {
                parts.append(when)
            }
        }
    }
}

// MARK: - Kinds of responders

/// The behaviour of a responder when it is asked about a message.
public enum ResponderKind: UInt8, Sendable, CaseIterable {
    /// Handles an event, or passes it on.
    case receive = 1
    /// Handles every event.
    case handle = 2
    /// Replaces the event for all responders above, and cannot stop it.
    case transform = 3
    /// Sees the event and never stops it.
    case observe = 4
    /// Answers a request with a value, or passes it on.
    case respond = 5
    /// Replaces an error by an event.
    case `catch` = 6
    /// ``receive`` in the lane of errors.
    case receiveError = 7
    /// ``handle`` in the lane of errors.
    case handleError = 8
    /// ``transform`` in the lane of errors.
    case transformError = 9

    /// The kind as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }

    /// Whether a responder of this kind is asked about messages in `lane`.
    package func sees(_ lane: Lane) -> Bool {
        switch lane {
        case .event: rawValue <= Self.observe.rawValue
        case .error: rawValue >= Self.catch.rawValue
        case .request: self == .respond || self == .observe
        case .cascade: self == .observe || self == .receive || self == .handle
        }
    }
}

// MARK: - Lanes

/// The kind of an upward message. It decides which responders are asked.
public enum Lane: UInt8, Sendable, CaseIterable {
    case event = 0
    /// Errors that a node reports or a responder throws.
    case error = 1
    /// Requests, which are answered with a value.
    case request = 2
    /// Cascades, which visit every ancestor; no ancestor can stop them.
    case cascade = 3

    /// The lane as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }

    /// Creates the lane of this ``name``; `nil` if there is none.
    package init?(named name: String) {
        guard let lane = Self.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = lane
    }
}

extension Lane {
    /// Reads a lane from a message.
    init(decoding number: UInt8) throws(WireError) {
        guard let lane = Lane(rawValue: number) else {
            throw WireError("there is no lane \(number)")
        }
        self = lane
    }
}

/// The header's `code` of a trigger or visit: the lane, and the length of the event's chain of
/// causes.
@usableFromInline
package struct LaneCode: Equatable, Sendable {
    @usableFromInline package var lane: Lane
    /// The length of the chain of causes: 0 for an event without a cause on the bus; otherwise one more
    /// than that of its cause.
    @usableFromInline package var causes: UInt16

    @inlinable
    package init(_ lane: Lane, causes: UInt16 = 0) {
        self.lane = lane
        self.causes = causes
    }

    /// `nil` if the lane is unknown.
    @inlinable
    package init?(rawValue: UInt32) {
        guard let lane = Lane(rawValue: UInt8(truncatingIfNeeded: rawValue)) else {
            return nil
        }
        self.init(lane, causes: UInt16(truncatingIfNeeded: rawValue >> 8))
    }

    @inlinable package var rawValue: UInt32 {
        UInt32(lane.rawValue) | UInt32(causes) << 8
    }
}
