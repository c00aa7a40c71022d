// SPDX-License-Identifier: Apache-2.0

/// What becomes of an event whose node is lost after it accepted it.
public enum LossPolicy: Sendable {
    /// The event fails there: the node may have acted.
    case fail
    /// The next responder is asked.
    case pass
}
