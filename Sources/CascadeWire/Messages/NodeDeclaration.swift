// SPDX-License-Identifier: Apache-2.0

/// The whole declaration of a node. All of it takes effect at once, so no peer ever sees a part of it.
package struct NodeDeclaration: Hashable, Sendable {
    package var path: NodePath
    /// The responders, in the order in which they are asked.
    package var responders: [ResponderDeclaration]
    package var subscriptions: [EventName]
    /// The subscriptions of a mount that stand for those of the bus below it.
    package var standIns: [StandIn] = []
    /// Whether the node counts as a subscriber, provided that its ancestors are active too.
    package var isActive: Bool
    /// Whether the node may take the path over from a live holder.
    package var takesOver: Bool
    /// The number of visits that the node works on at once.
    package var concurrency: UInt16
    /// The number of visits that may be under way to the node, including those it works on.
    package var prefetch: UInt16
    /// Whether the parent presents the node rather than contains it.
    package var isPresented = false
    /// Whether the node stands for a bus below it, so that no other node attaches below.
    package var isMount = false
    /// Whether the nodes below it are detached when its grace time has expired.
    package var detachesOrphans = false
    /// Whether the node gets the outcomes of durable events that earlier sessions triggered there.
    package var wantsOutcomes = false
    /// The names that its subtree triggers; `nil` if it declares none.
    package var triggers: [EventName]?
    /// The names that its subtree reports; `nil` if it declares none.
    package var reports: [EventName]?
    /// `nil` for the level of the parent.
    package var safety: SafetyLevel?
    /// `nil` for the setting of the parent.
    package var requiresExplicitResponders: Bool?
    /// The activation that the daemon sent on an earlier connection of the session.
    package var activation: Activation?
    package var assignments = Assignments()

    package init(
        path: NodePath, responders: [ResponderDeclaration] = [], subscriptions: [EventName] = [],
        isActive: Bool = true, takesOver: Bool = false, concurrency: UInt16 = 1,
        prefetch: UInt16 = 256
    ) {
        self.path = path
        self.responders = responders
        self.subscriptions = subscriptions
        self.isActive = isActive
        self.takesOver = takesOver
        self.concurrency = concurrency
        self.prefetch = prefetch
    }

    init(fields: FieldReader) throws(WireError) {
        var fields = fields
        var path: NodePath?
        self.init(path: .root)
        while let field = try fields.next() {
            switch field.tag {
            case .path: path = try NodePath(decoding: field.text())
            case .responder: responders.append(try ResponderDeclaration(field))
            case .subscription: subscriptions.append(try EventName(decoding: field.text()))
            case .isInactive: isActive = false
            case .takesOver: takesOver = true
            case .concurrency: concurrency = try field.integer()
            case .prefetch: prefetch = try field.integer()
            default: try readOptionalField(field)
            }
        }
        guard let path else {
            throw WireError("the declaration of a node has no path")
        }
        guard concurrency >= 1, prefetch >= concurrency else {
            throw WireError(
                "the node '\(path)' declares a concurrency of \(concurrency) and a prefetch "
                    + "of \(prefetch); the concurrency must be at least 1, and the prefetch at "
                    + "least the concurrency")
        }
        self.path = path
    }

    private mutating func readOptionalField(_ field: FieldReader.Field) throws(WireError) {
        switch field.tag {
        case .isPresented: isPresented = true
        case .isMount: isMount = true
        case .standIn: standIns.append(try StandIn(field))
        case .detachesOrphans: detachesOrphans = true
        case .wantsOutcomes: wantsOutcomes = true
        case .triggers: try triggers.add(field)
        case .reports: try reports.add(field)
        case .safety: safety = try SafetyLevel(decoding: field.integer())
        case .explicitResponders: requiresExplicitResponders = try field.integer(UInt8.self) != 0
        case .activation:
            var parts = field.parts
            activation = try Activation(&parts)
        default: try assignments.read(field)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.path, path.description)
        for responder in responders {
            responder.write(to: &fields)
        }
        for subscription in subscriptions {
            fields.append(.subscription, subscription.description)
        }
        fields.append(.isInactive, if: !isActive)
        fields.append(.takesOver, if: takesOver)
        fields.append(.concurrency, concurrency)
        fields.append(.prefetch, prefetch)
        fields.append(.isPresented, if: isPresented)
        fields.append(.detachesOrphans, if: detachesOrphans)
        fields.append(.wantsOutcomes, if: wantsOutcomes)
        triggers?.write(as: .triggers, to: &fields)
        reports?.write(as: .reports, to: &fields)
        if let safety {
            fields.append(.safety, safety.rawValue)
        }
        if let requiresExplicitResponders {
            fields.append(.explicitResponders, UInt8(requiresExplicitResponders ? 1 : 0))
        }
        if let activation {
            fields.append(.activation) { parts in activation.write(to: &parts) }
        }
        assignments.write(to: &fields)
        fields.append(.isMount, if: isMount)
        for standIn in standIns {
            standIn.write(to: &fields)
        }
    }
}

// MARK: - Safety

/// The treatment of an event that passes a node although neither the node nor its subtree declares
/// the event's name.
public enum SafetyLevel: UInt8, Sendable, CaseIterable, Comparable {
    /// Nothing is checked.
    case disabled = 0
    /// The event continues. The daemon warns once for each name and node.
    case relaxed = 1
    /// The event is rejected.
    case strict = 2

    /// The level as the command line writes it.
    public var name: String {
        "\(self)"
    }

    public static func < (left: SafetyLevel, right: SafetyLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension SafetyLevel {
    /// Reads a level from a message. Throws ``WireError`` for an unknown level, which must not count as
    /// ``disabled``.
    init(decoding number: UInt8) throws(WireError) {
        guard let level = SafetyLevel(rawValue: number) else {
            throw WireError("there is no level of safety \(number)")
        }
        self = level
    }
}

// MARK: - Declared names

extension [EventName]? {
    /// Appends the name in a field. An empty text makes the list empty instead of `nil`.
    mutating func add(_ field: FieldReader.Field) throws(WireError) {
        let text = try field.text()
        if self == nil {
            self = []
        }
        if !text.isEmpty {
            self?.append(try EventName(decoding: text))
        }
    }
}

extension Array where Element == EventName {
    func write(as tag: FieldTag, to fields: inout FieldWriter) {
        for name in self {
            fields.append(tag, name.description)
        }
        if isEmpty {
            fields.append(tag, "")
        }
    }
}
