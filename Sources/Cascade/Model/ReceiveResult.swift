// SPDX-License-Identifier: Apache-2.0

/// The answer of a `receive` responder.
public enum ReceiveResult: Sendable {
    /// The event ends here.
    case handled
    /// The next responder is asked.
    case notHandled
}
