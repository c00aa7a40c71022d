// SPDX-License-Identifier: Apache-2.0

/// The messages in transit that are lost with a connection.
enum Loss {
    case none
    /// The last messages.
    case tail
    /// Some messages before the last.
    case middle
}
