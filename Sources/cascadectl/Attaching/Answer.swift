// SPDX-License-Identifier: Apache-2.0

import Cascade

/// What a program answers to a visit.
enum Answer: Sendable {
    /// With what a request is answered with; nobody else looks at it.
    case handled(reply: [UInt8])
    case notHandled
    /// With what is not given staying as it is.
    case replaced(EventName?, [UInt8]?)
    case failed(Failure)
}
