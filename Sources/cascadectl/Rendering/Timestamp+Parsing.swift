// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc

extension Timestamp {
    /// Returns `nil` unless `text` has the form of ``description``.
    init?(_ text: String) {
        let pattern = /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{6})Z/
        guard let match = text.wholeMatch(of: pattern)?.output else {
            return nil
        }
        let numbers = [match.1, match.2, match.3, match.4, match.5, match.6, match.7]
            .compactMap { Int32($0) }
        guard numbers.count == 7 else {
            return nil
        }
        var parts = tm()
        parts.tm_year = numbers[0] - 1900
        parts.tm_mon = numbers[1] - 1
        parts.tm_mday = numbers[2]
        parts.tm_hour = numbers[3]
        parts.tm_min = numbers[4]
        parts.tm_sec = numbers[5]
        self.init(microseconds: Int64(timegm(&parts)) * 1_000_000 + Int64(numbers[6]))
    }
}
