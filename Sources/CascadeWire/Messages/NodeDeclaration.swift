// SPDX-License-Identifier: Apache-2.0

/// Everything a node is when it attaches, in one piece: it is never visible half-declared.
package struct NodeDeclaration: Hashable, Sendable {
    package var path: NodePath
    /// In the order in which they are asked.
    package var responders: [ResponderDeclaration]
    package var subscriptions: [EventName]
    /// Whether it counts as a subscriber, provided that its ancestors are active too.
    package var isActive: Bool
    /// Whether it may push out a live holder of the path.
    package var takesOver: Bool
    /// How many visits it works on at once.
    package var concurrency: UInt16
    /// How many visits may be on their way to it, those it works on included.
    package var prefetch: UInt16
    /// Whether it is presented by its parent rather than contained in it.
    package var isPresented = false
    /// Whether what is left below it, when its grace time has run out, is told to stop.
    package var detachesOrphans = false
    /// Whether it is told how durable events ended that earlier sessions had triggered there.
    package var wantsOutcomes = false
    /// The names that its subtree triggers and reports; `nil` where nothing is declared.
    package var triggers: [EventName]?
    package var reports: [EventName]?
    /// `nil` for what holds at its parent.
    package var safety: SafetyLevel?
    package var requiresExplicitResponders: Bool?
    /// What the daemon has said of the node on an earlier connection of its session.
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
            default: try readDeclarations(field)
            }
        }
        guard let path else {
            throw WireError("a node is declared without a path")
        }
        guard concurrency >= 1, prefetch >= concurrency else {
            throw WireError(
                "the node '\(path)' declares a concurrency of \(concurrency) and a prefetch "
                    + "of \(prefetch); at least 1, and no less than the concurrency, is needed")
        }
        self.path = path
    }

    private mutating func readDeclarations(_ field: FieldReader.Field) throws(WireError) {
        switch field.tag {
        case .isPresented: isPresented = true
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
    }
}
