// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The result of a responder or a subscription.
package enum InvocationResult: Sendable {
    case passed
    case handled
    /// The reply to a request.
    case answered(Reply)
    case replaced(Raising)
    case failed(Failure, Reply? = nil)
}
