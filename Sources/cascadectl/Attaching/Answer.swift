// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The answer of a program to a visit.
enum Answer: Sendable {
    /// Handled, with a reply that only requests use.
    case handled(reply: [UInt8])
    case notHandled
    /// Replaced; `nil` keeps the name or payload.
    case replaced(EventName?, [UInt8]?)
    case failed(Failure)
}
