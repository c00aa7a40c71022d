// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The bus itself, for those who look after it: what `cascadectl` can do, from code.
public struct BusControl: Sendable {
    private let raiser: Raiser

    package init(link: Link?) {
        raiser = Raiser(link: link, origin: .outsider(.root))
    }

    // MARK: - Changing

    /// Puts a node, and all below it, under another parent. Its last component stays.
    public func move(_ path: NodePath, under parent: NodePath) async throws {
        try await change(.move(path: path, under: parent))
    }

    /// Lets a node finish what it accepted, then takes it out of the tree.
    public func drain(_ path: NodePath, withSubtree: Bool = false) async throws {
        try await change(.drain(path: path, withSubtree: withSubtree))
    }

    /// Takes a node out of the tree at once.
    public func detach(_ path: NodePath, withSubtree: Bool = false) async throws {
        try await change(.detach(path: path, withSubtree: withSubtree))
    }

    /// Makes a node count as a subscriber, the most recent one.
    public func activate(_ path: NodePath) async throws {
        try await raiser.running().activate(path, isActive: true)
    }

    /// Makes a node, and all below it, count as subscribers no longer.
    public func deactivate(_ path: NodePath) async throws {
        try await raiser.running().activate(path, isActive: false)
    }

    /// Forgets every event that nobody handled.
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

    /// What is wrong with the declarations in the tree, as a JSON document.
    public func check() async throws -> String {
        try await document(.check)
    }

    /// The visits of an event, as a JSON document.
    public func trace(_ id: EventID) async throws -> String {
        try await document(.trace(id))
    }

    /// What nobody handled, and what is held, as a JSON document.
    public func undelivered() async throws -> String {
        try await document(.undelivered)
    }

    /// Which responders would be asked about a value that a child of `path` raised, in order, as a
    /// JSON document.
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
