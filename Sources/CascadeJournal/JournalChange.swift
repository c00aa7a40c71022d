// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What is to be written: a key has this record from now on, or none any more.
package struct JournalChange: Equatable, Sendable {
    package var key: EventID
    package var body: [UInt8]?
    /// Whether it has to be on disk for good.
    package var isSynced: Bool

    package init(key: EventID, body: [UInt8]?, isSynced: Bool = true) {
        self.key = key
        self.body = body
        self.isSynced = isSynced
    }
}
