// SPDX-License-Identifier: Apache-2.0

/// What a `receive` responder answers.
public enum ReceiveResult: Sendable {
    /// The event ends here.
    case handled
    /// The next responder is asked.
    case notHandled
}
