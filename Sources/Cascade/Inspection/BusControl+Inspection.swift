// SPDX-License-Identifier: Apache-2.0

@_exported public import CascadeInspection
import CascadeJSON
package import CascadeSession

/// Inspection: the answers of `cascadectl` as documents, whose JSON is what it prints with `--json`.
///
/// Each method throws ``CascadeError`` if the bus refuses the query (the code
/// ``CascadeError/Code/refused``, with the bus's reason), if the bus's answer is not the expected
/// document (``CascadeError/Code/badPayload``), and outside the code of a node
/// (``CascadeError/Code/notRunning``).
extension BusControl {
    /// Returns the answer to a query. Throws ``CascadeError`` with the bus's reason if it refuses the
    /// query, and with the code ``CascadeError/Code/badPayload`` if the answer is another document.
    public func answer<Document>(
        to query: InspectionQuery<Document>
    ) async throws -> Document {
        let link = try raiser.running()
        let context = try await Self.context(for: query, link)
        return try Self.document(of: query, in: await link.query(query.subject), context())
    }

    // MARK: - Bus and nodes

    /// Returns the node at a path and those below it, down to a number of levels, with all members
    /// that the bus and this machine know. ``TreeDocument/brief`` is what `cascadectl tree` prints. Throws
    /// ``CascadeError`` with the reason ``ErrorCode/noSuchNode`` if there is no such node.
    public func tree(
        at path: NodePath = .root, depth: UInt32 = .max
    ) async throws -> TreeDocument {
        try await answer(to: .tree(at: path, depth: depth))
    }

    /// Returns the status of the bus: the daemon, its counters and its limits. Throws ``CascadeError``
    /// if the bus refuses the query.
    public func status() async throws -> BusStatusDocument {
        try await answer(to: .busStatus)
    }

    /// Returns the status of a node, with its environment, preferences and last outcomes. Throws
    /// ``CascadeError`` with the reason ``ErrorCode/noSuchNode`` if there is no such node.
    public func status(of path: NodePath) async throws -> NodeStatusDocument {
        let tree = try await tree(at: path, depth: 0)
        guard var node = tree.nodes.first else {
            throw CascadeError(.violation, "the bus's answer about '\(path)' contains no node")
        }
        node.add(
            try await answer(to: .environment(at: path)),
            try await answer(to: .preferences(at: path)),
            try await answer(to: .pastMessages(of: path)))
        return NodeStatusDocument(bus: tree.bus, node: node)
    }

    /// Returns the whole state of the bus. It takes several queries, between which the bus may change.
    /// Throws ``CascadeError`` if the bus refuses one of them.
    public func dump() async throws -> DumpDocument {
        let now = Timestamp.now
        let tree = try await tree()
        var subscribers: [NamedMembers<SubscribersDocument>.Member] = []
        for name in Set(tree.nodes.flatMap(\.subscriptions)).sorted(by: {
            $0.description < $1.description
        }) {
            subscribers.append(.init(name.description, try await self.subscribers(to: name)))
        }
        return DumpDocument(
            when: now, bus: tree.bus, tree: tree, status: try await status(),
            subscribers: NamedMembers(subscribers), undelivered: try await undelivered(),
            check: try await check(),
            environment: try await each(of: tree) { path in
                let values = try await environment(at: path).values
                return values.isEmpty ? nil : NodeEnvironmentEntry(path: path, values: values)
            },
            preferences: try await each(of: tree) { path in
                let answer = try await preferences(at: path)
                return answer.preferences.isEmpty
                    ? nil
                    : NodePreferencesEntry(
                        path: path, preferences: answer.preferences, reducers: answer.reducers)
            },
            rules: try await rules())
    }

    /// Returns the entry of each node that has one.
    private func each<Entry>(
        of tree: TreeDocument, _ entry: (NodePath) async throws -> Entry?
    ) async throws -> [Entry] {
        var entries: [Entry] = []
        for node in tree.nodes {
            do {
                entries += try await entry(node.path).map { [$0] } ?? []
            } catch let error as CascadeError where error.reason == .noSuchNode {
                // The node has left since the query for the tree.
                continue
            }
        }
        return entries
    }

    /// Returns the daemon's metrics. Throws ``CascadeError`` if the bus refuses the query.
    public func metrics() async throws -> MetricsDocument {
        try await answer(to: .metrics)
    }

    // MARK: - Messages

    /// Returns the trace of a message: its visits and, if it has ended, its outcome. Throws
    /// ``CascadeError`` with the reason ``ErrorCode/noSuchEvent`` if the bus does not remember it.
    public func trace(_ id: EventID) async throws -> OutcomeDocument {
        try await answer(to: .trace(id))
    }

    /// Returns the undelivered and the held messages. The list of undelivered messages is what other
    /// brokers call a dead-letter queue. Throws ``CascadeError`` if the bus refuses the query.
    public func undelivered() async throws -> UndeliveredDocument {
        try await answer(to: .undelivered)
    }

    /// Returns one undelivered or held message, with a payload of up to 1 MiB, which ``undelivered()`` shows
    /// up to 64 KiB. Throws ``CascadeError`` with the reason ``ErrorCode/noSuchEvent`` if the bus does not
    /// keep it.
    public func undelivered(_ id: EventID) async throws -> UndeliveredMessage {
        let messages = try await answer(to: .undelivered(id)).undelivered
        guard let message = messages.first(where: { $0.id == id }) else {
            throw CascadeError(
                .refused, "the event \(id) is not among the undelivered messages",
                reason: .noSuchEvent)
        }
        return message
    }

    /// Raises an undelivered message again, unchanged and with its ID, and returns its outcome. Throws
    /// ``CascadeError`` with the reason ``ErrorCode/noSuchEvent`` if the message is not among the
    /// undelivered ones, and also if it is held: a held message continues by itself when a responder
    /// attaches.
    public func retryUndelivered(_ id: EventID) async throws -> OutcomeDocument {
        guard let entry = try await undelivered().undelivered.first(where: { $0.id == id }) else {
            throw CascadeError(
                .refused, "the event \(id) is not among the undelivered messages",
                reason: .noSuchEvent)
        }
        guard !entry.isHeld, let lane = entry.lane.known else {
            throw CascadeError(
                .refused, "the event \(id) is held: it continues by itself", reason: .noSuchEvent)
        }
        var options = RaiseOptions(
            .upward(lane), from: .outsider(entry.origin), flags: .wantsTrail)
        options.retried = id
        let raised = try await raiser.raise(Raising(name: entry.name, payload: []), options)
        return OutcomeDocument(id: id, name: entry.name, try await raised.pending.value)
    }

    /// Returns the route of a value raised by a child of `path`: the responders in the order in
    /// which they would be asked. Sends nothing to any node. Throws ``CascadeError`` with the reason
    /// ``ErrorCode/noSuchNode`` if there is no such node, and if the value cannot be encoded.
    public func route(
        _ lane: Lane = .event, of value: some NamedValue, from path: NodePath
    ) async throws -> RouteDocument {
        let route = RouteQuery(
            lane, try EventName(naming: type(of: value)), from: path,
            payload: String(decoding: try PayloadCodec.encode(value), as: UTF8.self))
        return try await answer(to: InspectionQuery(route: route))
    }

    /// Returns the recipients of a publication from a node, for each destination. Throws
    /// ``CascadeError`` with the reason ``ErrorCode/noSuchNode`` if there is no such node.
    public func subscribers(
        to name: EventName, at path: NodePath = .root
    ) async throws -> SubscribersDocument {
        try await answer(to: .subscribers(to: name, at: path))
    }

    // MARK: - Declarations and policy

    /// Returns the findings about the declarations in the tree. Throws ``CascadeError`` if the bus
    /// refuses the query.
    public func check() async throws -> CheckDocument {
        try await answer(to: .check)
    }

    /// Returns the rules of the active policy. Throws ``CascadeError`` if the bus refuses the query.
    public func policy() async throws -> PolicyDocument {
        try await answer(to: .policy)
    }

    /// Returns whether this process may do something at a path, and the rule that decides. Throws
    /// ``CascadeError`` if there is no such verb.
    ///
    /// - Parameters:
    ///   - verb: The action, as policy files write it: `attach`, `trigger`…
    ///   - path: The path of the node that the action is about.
    public func testPolicy(_ verb: String, at path: NodePath) async throws -> PolicyTestDocument {
        try await answer(to: .policyTest(verb, at: path))
    }

    // MARK: - Environment and rules

    /// Returns every key that has a value for a node, with its provenance. Throws ``CascadeError`` with
    /// the reason ``ErrorCode/noSuchNode`` if there is no such node.
    public func environment(at path: NodePath) async throws -> EnvironmentDocument {
        try await answer(to: .environment(at: path))
    }

    /// Returns every candidate for the value of a key at a node. Throws ``CascadeError`` with the reason
    /// ``ErrorCode/noSuchNode`` if there is no such node.
    public func explanation(
        of key: EventName, at path: NodePath
    ) async throws -> ExplanationDocument {
        try await answer(to: .explanation(of: key, at: path))
    }

    /// Returns the preferences of a node and its subtree, each reduced to one value. Throws
    /// ``CascadeError`` with the reason ``ErrorCode/noSuchNode`` if there is no such node.
    public func preferences(at path: NodePath = .root) async throws -> PreferencesDocument {
        try await answer(to: .preferences(at: path))
    }

    /// Returns the active rules. Throws ``CascadeError`` if the bus refuses the query.
    public func rules() async throws -> RulesDocument {
        try await answer(to: .rules)
    }

    /// Returns the values that would change if a rules file had this text. Changes nothing. Throws
    /// ``CascadeError`` with the reason ``ErrorCode/badRule`` if the text is not valid.
    ///
    /// - Parameters:
    ///   - file: The name of the file that the text replaces, as ``rules()`` returns it; another
    ///     name adds a file.
    ///   - text: The text of the file.
    public func rulesDifference(
        file: String, text: String
    ) async throws -> RulesDifferenceDocument {
        try await answer(to: .rulesDifference(file: file, text: text))
    }
}

extension OutcomeDocument {
    /// Creates the document of a message that this process has raised.
    package init(id: EventID, name: EventName, _ settled: SettledEvent) {
        self.init(
            id: id, name: name, settled.ended, by: settled.by,
            reply: settled.reply.map { ($0.payload, $0.contentType) })
    }
}

// MARK: - Answers

extension BusControl {
    /// Returns the function that creates the context of each answer to a query. Asks for the name of
    /// the bus if the document has it.
    static func context(
        for query: InspectionQuery<some InspectionDocument>, _ link: Link
    ) async throws -> @Sendable () -> AnswerContext {
        var bus = ""
        if case .tree = query.subject {
            bus = try BusAnswer(parsing: await link.query(.bus)).bus
        }
        return { [bus] in AnswerContext(bus: bus, now: .now, .local) }
    }

    /// Reads the document in the message of an answer. Throws ``CascadeError`` if the message is a
    /// refusal or no such document.
    static func document<Document>(
        of query: InspectionQuery<Document>, in message: [UInt8], _ context: AnswerContext
    ) throws -> Document {
        do {
            return try query.document(in: Link.answer(message), context).content
        } catch let error as InspectionError {
            throw CascadeError(.badPayload, "the bus's answer cannot be read: \(error)")
        } catch let error as WireError {
            throw CascadeError(.violation, "the bus's answer cannot be read: \(error)")
        }
    }
}
