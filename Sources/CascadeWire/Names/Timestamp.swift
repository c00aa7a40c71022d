// SPDX-License-Identifier: Apache-2.0

/// A moment of the wall clock, written as RFC 3339 in UTC with microseconds.
package struct Timestamp: Hashable, Sendable, CustomStringConvertible {
    /// Since the beginning of 1970.
    package let microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package func earlier(byMicroseconds age: UInt64) -> Timestamp {
        let (earlier, isTooEarly) = microseconds.subtractingReportingOverflow(Int64(clamping: age))
        return Timestamp(microseconds: isTooEarly ? .min : earlier)
    }

    /// The time since an earlier moment, 0 since a later one.
    package func microseconds(since earlier: Timestamp) -> UInt64 {
        let (age, isTooLong) = microseconds.subtractingReportingOverflow(earlier.microseconds)
        return isTooLong && microseconds > 0 ? .max : UInt64(clamping: isTooLong ? 0 : age)
    }

    package var description: String {
        let (seconds, fraction) = Self.split(microseconds, 1_000_000)
        let (days, second) = Self.split(seconds, 86_400)
        let (year, month, day) = Self.date(days)
        let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
        let time = [second / 3_600, second / 60 % 60, second % 60].map { Self.digits($0, 2) }
        return "\(date)T\(time.joined(separator: ":")).\(Self.digits(fraction, 6))Z"
    }

    /// Quotient and remainder, which is never negative.
    private static func split(_ number: Int64, _ divisor: Int64) -> (Int64, Int64) {
        let remainder = (number % divisor + divisor) % divisor
        return (number / divisor - (number % divisor < 0 ? 1 : 0), remainder)
    }

    /// The date that is so many days after the beginning of 1970. Years begin in March here, so
    /// that the day that some of them have more is their last.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = split(days + 719_468, 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0)
        return (year, month < 10 ? month + 3 : month - 9, day)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
