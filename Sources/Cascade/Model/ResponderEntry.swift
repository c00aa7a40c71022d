// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// A responder as it is registered: its declaration, and its closure with the event's type erased.
struct ResponderEntry: Sendable {
    let kind: ResponderKind
    /// `nil` for every name.
    let name: String?
    /// `nil` for always.
    let condition: Condition?
    let run: @Sendable (Visit) async throws -> InvocationResult
}

extension Node {
    func adding(
        _ kind: ResponderKind, _ name: String?, _ condition: Condition?,
        _ run: @escaping @Sendable (Visit) async throws -> InvocationResult
    ) -> Node {
        with {
            $0.responders.append(
                ResponderEntry(kind: kind, name: name, condition: condition, run: run))
        }
    }
}

extension ReceiveResult {
    var invocationResult: InvocationResult {
        switch self {
        case .handled: .handled
        case .notHandled: .passed
        }
    }
}

/// An observer cannot read what it was to see. The event goes on as if it had.
struct UnreadObservation: Error {
    let cause: any Error
}
