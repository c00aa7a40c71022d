// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// A responder as it is registered: its declaration, and its closure with the event's type erased.
struct ResponderEntry: Sendable {
    let kind: ResponderKind
    /// `nil` for every name.
    let name: String?
    let run: @Sendable (Visit) async throws -> InvocationResult
}
