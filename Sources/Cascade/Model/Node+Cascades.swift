// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders to cascades. Those to events, ``Node/observe(_:when:_:)``,
/// ``Node/receive(_:when:_:)`` and ``Node/handle(_:when:_:)``, run for a cascade of their name too.
extension Node {
    /// Runs `perform` for each cascade of a type that comes by, and for nothing else. It can't stop
    /// the cascade, not even by throwing.
    public func cascadingAction<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ perform: @escaping @Sendable (E) async throws -> Void
    ) -> Node {
        adding(.receive, E.name, condition) { visit in
            guard visit.lane == .cascade else {
                return .passed
            }
            try await perform(PayloadCodec.decode(E.self, from: visit))
            return .handled
        }
    }
}
