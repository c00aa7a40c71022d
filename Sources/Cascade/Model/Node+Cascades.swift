// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders to cascades. The event responders ``Node/observe(_:when:_:)``,
/// ``Node/receive(_:when:_:)`` and ``Node/handle(_:when:_:)`` also run for cascades of their name.
extension Node {
    /// Runs `perform` for each cascade of a type, and for no other message. The action cannot stop
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
