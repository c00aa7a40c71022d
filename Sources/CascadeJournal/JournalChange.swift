// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// A change of the journal: a key gets this record, or loses its record.
package struct JournalChange: Equatable, Sendable {
    package var key: EventID
    package var body: [UInt8]?
    /// Whether the change must be durable.
    package var isSynced: Bool
    /// Whether the change may be written to the space of the reserve. Changes that end an event
    /// may, so that events end on a full disk; changes that begin one may not.
    package var mayUseReserve: Bool

    /// Creates a change. By default, a removal may use the reserve, and a record may not.
    package init(
        key: EventID, body: [UInt8]?, isSynced: Bool = true, mayUseReserve: Bool? = nil
    ) {
        self.key = key
        self.body = body
        self.isSynced = isSynced
        self.mayUseReserve = mayUseReserve ?? (body == nil)
    }
}
