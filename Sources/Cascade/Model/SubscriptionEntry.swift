// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// A registered subscription: its name, and its type-erased closure.
struct SubscriptionEntry: Sendable {
    let name: String
    let run: @Sendable (Visit) async throws -> Void
}
