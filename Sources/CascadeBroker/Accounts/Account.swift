// SPDX-License-Identifier: Apache-2.0

/// What one user, or the holder of one key, has of the bus.
struct Account: Sendable {
    let owner: Owner
    var sessionCount = 0
    var nodeCount = 0
    /// Bytes of messages that are kept for what its sessions raised: under way, held, retained, or
    /// as replies that may be asked for again.
    var messageByteCount = 0
    /// What the bus raised because of what its sessions requested.
    var troubles = TroubleLimit()
}
