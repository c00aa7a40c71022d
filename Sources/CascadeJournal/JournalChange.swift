// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What is to be written: a key has this record from now on, or none any more.
package struct JournalChange: Equatable, Sendable {
    package var key: EventID
    package var body: [UInt8]?
    /// Whether it has to be on disk for good.
    package var isSynced: Bool
    /// Whether it may be written where the disk is full but for the journal's reserve. What ends
    /// an event may, so that events end on a full disk; what begins one may not.
    package var mayUseReserve: Bool

    /// - Parameter mayUseReserve: a removal may, if nothing else is said.
    package init(
        key: EventID, body: [UInt8]?, isSynced: Bool = true, mayUseReserve: Bool? = nil
    ) {
        self.key = key
        self.body = body
        self.isSynced = isSynced
        self.mayUseReserve = mayUseReserve ?? (body == nil)
    }
}
