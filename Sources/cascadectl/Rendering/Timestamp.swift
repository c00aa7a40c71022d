// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A moment of the wall clock, written as RFC 3339 in UTC with microseconds.
struct Timestamp: Sendable, CustomStringConvertible {
    private let microseconds: Int64

    private init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    func earlier(byMicroseconds age: UInt64) -> Timestamp {
        Timestamp(microseconds: microseconds - Int64(clamping: age))
    }

    /// The time since an earlier moment, 0 since a later one.
    func microseconds(since earlier: Timestamp) -> UInt64 {
        UInt64(clamping: microseconds - earlier.microseconds)
    }

    /// `nil` unless `text` has the form of ``description``.
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

    var description: String {
        let fraction = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        var seconds = time_t((microseconds - fraction) / 1_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = [
            Self.digits(parts.tm_year + 1900, 4), Self.digits(parts.tm_mon + 1, 2),
            Self.digits(parts.tm_mday, 2),
        ].joined(separator: "-")
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.digits($0, 2) }
            .joined(separator: ":")
        return "\(date)T\(time).\(Self.digits(Int32(fraction), 6))Z"
    }

    private static func digits(_ number: Int32, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
