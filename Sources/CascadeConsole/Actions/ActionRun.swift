// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeSession
import CascadeWire

/// An action that is carried out on a bus, by the messages that `cascadectl` sends for it.
struct ActionRun: Sendable {
    /// The number of nodes that a question for confirmation names.
    private static let namedCountMax = 20

    let request: ActionRequest
    let link: Link

    private var bus: BusControl {
        BusControl(link: link)
    }

    /// Returns the document of the command, and what the log says of it. Throws ``Refusal`` if policy
    /// denies the action, it must be confirmed first, or the bus refuses it.
    func document() async throws(Refusal) -> (text: String, outcome: String) {
        do {
            return try await carriedOut()
        } catch let refusal as Refusal {
            throw refusal
        } catch let error as CascadeError {
            throw Refusal(error)
        } catch {
            throw Refusal(500, "failed", "The action has failed: \(error)")
        }
    }

    private func carriedOut() async throws -> (text: String, outcome: String) {
        for place in request.places {
            try await ActionRights.check(request.kind, at: place, of: bus)
        }
        switch request.change {
        case .retry(let id): return try await retry(id)
        case .raise(let raising, let options):
            let raised = try await link.raise(raising, options)
            return Self.ended(
                OutcomeDocument(id: raised.id, name: raising.name, try await raised.pending.value))
        case .set(let path, let settings):
            _ = try await link.send {
                SetEnvironment(request: $0, path: path, Assignments(settings: settings))
            }
            return (SettingsDocument(at: path, settings).jsonText, "set")
        case .activate(let path, let isActive):
            try await link.activate(path, isActive: isActive)
            return (
                ActivityDocument(path: path, active: isActive).jsonText,
                isActive ? "active" : "inactive"
            )
        case .depart(let departure): return try await depart(departure)
        case .clear:
            _ = try await link.send { Administer(request: $0, .clearUndelivered) }
            return (try await bus.undelivered().jsonText, "cleared")
        }
    }

    private static func ended(_ document: OutcomeDocument) -> (text: String, outcome: String) {
        (document.jsonText, document.outcome?.rawValue ?? "under way")
    }

    /// Raises an undelivered message again.
    private func retry(_ id: EventID) async throws -> (text: String, outcome: String) {
        if let entry = try await bus.undelivered().undelivered.first(where: { $0.id == id }) {
            try await ActionRights.check(.retry, at: entry.origin, of: bus)
        }
        return Self.ended(try await bus.retryUndelivered(id))
    }

    // MARK: - Nodes that leave or move

    private func depart(
        _ departure: ActionRequest.Departure
    ) async throws -> (text: String, outcome: String) {
        let change: Administer.Change
        let document: TopologyDocument
        switch departure {
        case .drain(let path, let withSubtree):
            let nodes = try await confirmed(path, withSubtree: withSubtree)
            change = .drain(path: path, withSubtree: withSubtree)
            document = TopologyDocument(change: .drained, path: path, nodes: nodes)
        case .detach(let path, let withSubtree):
            let nodes = try await confirmed(path, withSubtree: withSubtree)
            change = .detach(path: path, withSubtree: withSubtree)
            document = TopologyDocument(change: .detached, path: path, nodes: nodes)
        case .move(let path, let parent):
            let nodes = try await confirmed(path, withSubtree: true)
            change = .move(path: path, under: parent)
            document = TopologyDocument(
                change: .moved, path: path, to: try parent.appending(path.name), nodes: nodes)
        }
        _ = try await link.send { Administer(request: $0, change) }
        return (document.jsonText, document.change.rawValue)
    }

    /// Returns the nodes that a change affects. Throws ``Refusal``, which names them, if there are several
    /// and the user has not confirmed as many.
    private func confirmed(_ path: NodePath, withSubtree: Bool) async throws -> [NodePath] {
        let nodes = try await bus.tree(at: path, depth: withSubtree ? .max : 0).nodes.map(\.path)
        guard nodes.count > 1, request.confirmed != nodes.count else {
            return nodes
        }
        let named = nodes.prefix(Self.namedCountMax)
        throw Refusal(
            409, "unconfirmed",
            "This affects \(nodes.count) nodes: \(named.map(\.description).joined(separator: ", "))"
                + (nodes.count > named.count ? ", …" : "") + ".",
            details: JSONValue.memberList([
                "count": .integer(nodes.count),
                "nodes": .array(named.map { .string($0.description) }),
            ]))
    }
}
