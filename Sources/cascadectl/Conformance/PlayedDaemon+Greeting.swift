// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The client's nodes, and the node that handles what they raise.
enum ConformancePaths {
    static let client: NodePath = "/conformance/client"
    static let below: NodePath = "/conformance/client/below"
    static let origin: NodePath = "/conformance/client/below/origin"
    static let handler: NodePath = "/conformance"
}

/// Greeting, attaching and leaving.
extension PlayedDaemon {
    /// The session that triggers the events of the played visits.
    static let origin = SessionID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

    /// Greets the client, and attaches its nodes.
    func open(credit: UInt32 = 16, messageBytes: UInt64 = 1 << 24) throws {
        try greet(credit: credit, messageBytes: messageBytes)
        try attach()
        try expectLine("attached")
    }

    /// Receives the greeting of a connection, and welcomes the session.
    ///
    /// - Parameter isResumed: Whether the session was welcomed before.
    func greet(
        credit: UInt32 = 16, messageBytes: UInt64 = 1 << 24, isResumed: Bool = false
    ) throws {
        try receiveGreeting(isResumed: isResumed)
        try welcome(credit: credit, messageBytes: messageBytes)
    }

    @discardableResult
    func receiveGreeting(isResumed: Bool = false) throws -> Hello {
        let expected = isResumed ? "'hello' on another connection" : "'hello'"
        let message = try nextConnection(expected)
        guard message.header.command == .hello else {
            throw Deviation(expected: "'hello' first", received: message.description)
        }
        let hello: Hello = try message.read()
        guard hello.isResumed == isResumed else {
            throw Deviation(
                expected: "'hello' \(isResumed ? "with" : "without") isResumed",
                received: "one \(hello.isResumed ? "with" : "without") it")
        }
        if let session, session != hello.session {
            throw Deviation(
                expected: "the session \(session)", received: "another, \(hello.session)")
        }
        session = hello.session
        return hello
    }

    /// Sends `welcome`, with a limit and a field that no release knows.
    func welcome(credit: UInt32, messageBytes: UInt64 = 1 << 24) throws {
        let welcome = Welcome(
            version: 1, bus: "conformance", release: "conformance", processID: 1, credit: credit,
            beatMilliseconds: 60_000,
            limits: [
                NamedNumber("limitOfLaterRelease", 1), NamedNumber("messageBytes", messageBytes),
            ])
        raises.connected(credit: credit)
        try send([welcome.encoded().addingUnknownField()])
    }

    /// Receives the attaches of both nodes, and attaches them.
    ///
    /// - Parameters:
    ///   - paths: The paths at which the client has to attach its nodes.
    ///   - activations: What the answer says about the nodes' places in the order of activation.
    ///   - level: The value of the key `level`; `nil` for none.
    @discardableResult
    func attach(
        _ paths: Set<NodePath> = [ConformancePaths.client, ConformancePaths.below],
        activations: [NodePath: Activation] = [:], level: Int? = nil
    ) throws -> [NodeDeclaration] {
        var attached: [NodeDeclaration] = []
        while attached.count < paths.count {
            let attach: CascadeWire.Attach = try next(.attach).read()
            try accept(attach, activations, level)
            attached += attach.nodes
        }
        let found = Set(attached.map(\.path))
        guard found == paths else {
            throw Deviation(expected: "nodes at \(Self.list(paths))", received: Self.list(found))
        }
        return attached
    }

    /// Answers an attach: defines names, and numbers the nodes.
    private func accept(
        _ attach: CascadeWire.Attach, _ activations: [NodePath: Activation], _ level: Int?
    ) throws {
        for node in attach.nodes {
            table.declare(node)
            for name in node.responders.compactMap(\.name) + node.subscriptions {
                _ = table.define(name)
            }
        }
        for name in attach.names {
            _ = table.define(name)
        }
        let identity = SessionIdentity(Self.origin, isProven: true)
        try send(
            Define(
                table.definedNames + [
                    .session(number: table.sessionNumber, identity),
                    .node(number: table.originNumber, ConformancePaths.origin),
                    .node(number: table.handlerNumber, ConformancePaths.handler),
                ]))
        try send(
            Attached(
                request: attach.request,
                nodes: attach.nodes.map { node in
                    Attached.Node(
                        path: node.path, number: try table.number(of: node.path),
                        activation: activations[node.path])
                }))
        for node in attach.nodes where !node.assignments.watchedKeys.isEmpty {
            try send(
                EnvironmentChanges(
                    node: try table.number(of: node.path), isSnapshot: true,
                    level.map { [EnvironmentChange("level", old: nil, new: "\($0)")] } ?? []))
        }
    }

    private static func list(_ paths: Set<NodePath>) -> String {
        paths.map(\.description).sorted().joined(separator: ", ")
    }

    // MARK: - Leaving

    /// Has the client leave: it sends nothing but `leave`, waits for `done`, and exits with 0.
    func leave() throws {
        // The client has then read all that came before, such as `attached`.
        try expectQuiet("no message before 'leave'")
        write("leave")
        try finishLeaving()
        try expectExit({ $0 == 0 }, "the exit of the client with status 0")
    }

    /// Waits for the end of a client that the daemon has ended or refused. It may leave before.
    func expectEnd() throws {
        let expected = "the exit of the client with another status than 0"
        if let message = try nextUnlessExited(expected) {
            guard message.header.command == .leave else {
                throw Deviation(expected: expected, received: message.description)
            }
            try answer(try message.read())
        }
        try expectExit({ $0 != 0 }, expected)
    }

    /// Receives the request to leave, and answers it.
    func finishLeaving() throws {
        try answer(try next(.leave).read())
    }

    /// Answers the request to leave with all nodes.
    func answer(_ leave: Leave) throws {
        guard leave.node == Header.noNode else {
            throw Deviation(expected: "'leave' with all nodes", received: "node \(leave.node)")
        }
        for path in table.declarations.keys.sorted(by: { $0.description < $1.description }) {
            try send(
                Detached(
                    node: try table.number(of: path), path: path, reason: .left,
                    sentence: "the node has left"))
        }
        try send(Header(.done, id: leave.request))
    }

    func send(_ header: Header) throws {
        try send([header.encoded()])
    }
}

extension [UInt8] {
    /// Returns the message with a field behind its others whose tag no release knows.
    func addingUnknownField() -> [UInt8] {
        guard var header = try? Header(parsing: self) else {
            return self
        }
        let end = Header.byteCount + Int(header.fieldsLength)
        let field: [UInt8] = [0x34, 0x12, 3, 0, 0, 0, 1, 2, 3]
        header.fieldsLength += UInt32(field.count)
        return header.encoded() + self[Header.byteCount..<end] + field + self[end...]
    }
}
