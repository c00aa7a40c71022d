// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// How a responder or a subscription ended.
package enum InvocationResult: Sendable {
    case passed
    case handled
    /// A request has its reply.
    case answered(Reply)
    case replaced(Raising)
    case failed(Failure, Reply? = nil)
}
