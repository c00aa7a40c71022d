// SPDX-License-Identifier: Apache-2.0

import Cascade

/// What a program answers to a visit.
enum Answer: Sendable {
    case handled
    case notHandled
    /// With what is not given staying as it is.
    case replaced(EventName?, [UInt8]?)
    case failed(Failure)
}
