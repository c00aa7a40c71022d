// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Administration of the bus from code: the changes and documents of `cascadectl`.
///
/// Each method throws ``CascadeError`` if the bus refuses the command.
public struct BusControl: Sendable {
    private let raiser: Raiser

    package init(link: Link?) {
        raiser = Raiser(link: link, origin: .outsider(.root))
    }

    // MARK: - Changing

    /// Moves a node and its subtree to another parent. The last component of its path stays.
    public func move(_ path: NodePath, under parent: NodePath) async throws {
        try await change(.move(path: path, under: parent))
    }

    /// Takes a node out of the tree once it has finished the work that it has accepted.
    public func drain(_ path: NodePath, withSubtree: Bool = false) async throws {
        try await change(.drain(path: path, withSubtree: withSubtree))
    }

    /// Takes a node out of the tree at once.
    public func detach(_ path: NodePath, withSubtree: Bool = false) async throws {
        try await change(.detach(path: path, withSubtree: withSubtree))
    }

    /// Makes a node active: it counts as a subscriber, the most recent one.
    public func activate(_ path: NodePath) async throws {
        try await raiser.running().activate(path, isActive: true)
    }

    /// Makes a node and its subtree inactive: they no longer count as subscribers.
    public func deactivate(_ path: NodePath) async throws {
        try await raiser.running().activate(path, isActive: false)
    }

    /// Removes all undelivered messages.
    public func clearUndelivered() async throws {
        try await change(.clearUndelivered)
    }

    private func change(_ change: Administer.Change) async throws {
        _ = try await send { Administer(request: $0, change) }
    }

    func send(_ make: @Sendable (UInt64) -> some WireMessage) async throws -> Link.Answer {
        try await raiser.running().send(make)
    }

    // MARK: - Looking

    // The documents are those that cascadectl prints with --json.

    /// Returns the findings about the declarations in the tree, as a JSON document.
    public func check() async throws -> String {
        try await document(.check)
    }

    /// Returns the visits of an event, as a JSON document.
    public func trace(_ id: EventID) async throws -> String {
        try await document(.trace(id))
    }

    /// Returns the undelivered and the held messages, as a JSON document. The list of undelivered
    /// messages is what other brokers call a dead-letter queue.
    public func undelivered() async throws -> String {
        try await document(.undelivered)
    }

    /// Returns the route of a value raised by a child of `path`: the responders in the order in
    /// which they would be asked, as a JSON document. Sends nothing to any node.
    public func route(
        _ lane: Lane = .event, of value: some NamedValue, from path: NodePath
    )
        async throws -> String
    {
        let route = Route(
            lane, try EventName(naming: type(of: value)), from: path,
            payload: String(decoding: try PayloadCodec.encode(value), as: UTF8.self))
        return try await document(.route(route))
    }

    func document(_ subject: Query.Subject) async throws -> String {
        try await DocumentAnswer(parsing: raiser.running().query(subject)).document
    }
}
