// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// A subscription as it is registered: its name, and its closure with the event's type erased.
struct SubscriptionEntry: Sendable {
    let name: String
    let run: @Sendable (Visit) async throws -> Void
}
