// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// How a responder or a subscription ended.
package enum InvocationResult: Sendable {
    case passed
    case handled
    case replaced(Raising)
    case failed(Failure)
}
