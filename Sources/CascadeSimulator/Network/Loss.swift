// SPDX-License-Identifier: Apache-2.0

/// What of the messages on their way is gone with a connection.
enum Loss {
    case none
    /// The last ones.
    case tail
    /// Some before the last.
    case middle
}
