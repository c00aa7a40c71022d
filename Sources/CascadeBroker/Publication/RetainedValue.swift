// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What a publisher published last under a name, for subscribers to come.
struct RetainedValue: Sendable {
    /// The path that published the value, whichever session holds it now.
    let path: NodePath
    let name: EventName
    /// The number of its ``KeptMessage``.
    let message: KeptMessageIndex
    let byteCount: UInt32
    /// The number of the session that published it, pinned.
    let session: SessionIndex
    /// Who pays for it.
    let account: AccountIndex
    let sequence: UInt64
    let causes: UInt16
    /// The subscribers that need it no more: they were there when it was published, or were given
    /// it.
    var served: Set<NodeIndex> = []
}
