// SPDX-License-Identifier: Apache-2.0

/// A session as the daemon knows it: by its public ID, and by whether it has proved with its secret
/// that the ID is its own. Any peer may name any ID; so a session that has proved its ID and one
/// that has not are two sessions, even where they name the same.
package struct SessionIdentity: Hashable, Sendable {
    package var id: SessionID
    package var isProven: Bool

    package init(_ id: SessionID, isProven: Bool) {
        self.id = id
        self.isProven = isProven
    }

    /// The daemon's own session, in which no peer may speak.
    package static let daemon = SessionIdentity(SessionID(high: 0, low: 0), isProven: true)
}
