// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension EventID {
    /// The ID of an arbitrary event.
    init(journal number: UInt64) {
        self.init(session: SessionID(high: 7, low: number / 8), sequence: number)
    }
}
