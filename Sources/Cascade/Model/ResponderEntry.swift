// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// A registered responder: its declaration, and its type-erased closure.
struct ResponderEntry: Sendable {
    let kind: ResponderKind
    /// `nil` for every name.
    let name: String?
    /// `nil` for no condition.
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

/// A payload that an observer cannot decode. The event goes on as if the observer had seen it.
struct UnreadObservation: Error {
    let cause: any Error
}
