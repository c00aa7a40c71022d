// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc

extension Timestamp {
    /// The current second.
    static var now: Timestamp {
        Timestamp(microseconds: Int64(time(nil)) * 1_000_000)
    }

    func advanced(byDays days: Int) -> Timestamp {
        Timestamp(microseconds: microseconds + Int64(days) * 86_400_000_000)
    }
}
