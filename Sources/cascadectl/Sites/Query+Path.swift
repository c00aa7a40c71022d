// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection

extension Query.Subject {
    /// The node that a query is about; `nil` for a query about the bus.
    var path: NodePath? {
        switch self {
        case .tree(let path, _), .treeChanges(let path, _), .activity(let path, _),
            .subscribers(_, let path), .environment(let path, _), .explanation(_, let path),
            .environmentTree(_, let path), .preferences(let path),
            .summary(let path):
            path
        case .route(let route): route.path
        case .bus, .trace, .undelivered, .undeliveredEvent, .underWay, .check, .monitor, .rules,
            .rulesDifference, .policy, .policyTest, .metrics, .sites:
            nil
        }
    }

    /// Returns the query about another node; the query itself if it is about the bus.
    func at(_ path: NodePath) -> Self {
        switch self {
        case .tree(_, let depth): return .tree(path: path, depth: depth)
        case .treeChanges(_, let depth): return .treeChanges(path: path, depth: depth)
        case .activity(_, let milliseconds):
            return .activity(path: path, milliseconds: milliseconds)
        case .subscribers(let name, _): return .subscribers(name: name, path: path)
        case .environment(_, let key): return .environment(path: path, key: key)
        case .explanation(let key, _): return .explanation(key: key, path: path)
        case .environmentTree(let key, _): return .environmentTree(key: key, path: path)
        case .preferences: return .preferences(path: path)
        case .summary: return .summary(path: path)
        case .route(var route):
            route.path = path
            return .route(route)
        case .bus, .trace, .undelivered, .undeliveredEvent, .underWay, .check, .monitor, .rules,
            .rulesDifference, .policy, .policyTest, .metrics, .sites:
            return self
        }
    }
}

extension Bus {
    /// Runs `body` with the site that has the node of a query, and with the query as it is there.
    func reaching(
        _ subject: Query.Subject, _ body: (Bus, Query.Subject) async throws -> Void
    ) async throws {
        guard let path = subject.path else {
            return try await body(self, subject)
        }
        try await reaching(path) { bus, path in try await body(bus, subject.at(path)) }
    }

    /// Returns the site that has the node of a query, and the query as it is there.
    func located(_ subject: Query.Subject) async throws -> (Bus, Query.Subject) {
        guard let path = subject.path else {
            return (self, subject)
        }
        let found = try await located(path)
        return (found.bus, subject.at(found.path))
    }
}
