// SPDX-License-Identifier: Apache-2.0

/// The fate of an event when a node is lost after it accepted the event.
public enum LossPolicy: Sendable {
    /// The event fails at that node, which may already have acted.
    case fail
    /// The next responder is asked.
    case pass
}
