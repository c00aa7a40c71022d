// SPDX-License-Identifier: Apache-2.0

/// A moment of the wall clock, written as RFC 3339 in UTC with microseconds.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The microseconds since the beginning of 1970.
    public let microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// `nil` unless `text` has the form of ``description``: `2026-03-01T09:30:00.000000Z`.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.form.count,
            zip(bytes, Self.form).allSatisfy({ byte, mark in
                mark == UInt8(ascii: "0") ? Self.isDigit(byte) : byte == mark
            })
        else {
            return nil
        }
        let number = { (range: Range<Int>) in
            bytes[range].reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        let days = Self.days(year: number(0..<4), month: number(5..<7), day: number(8..<10))
        let seconds = number(11..<13) * 3_600 + number(14..<16) * 60 + number(17..<19)
        self.init(microseconds: (days * 86_400 + seconds) * 1_000_000 + number(20..<26))
        guard description == text else {
            return nil
        }
    }

    private static let form = Array("0000-00-00T00:00:00.000000Z".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Returns the moment `age` microseconds earlier.
    package func earlier(byMicroseconds age: UInt64) -> Timestamp {
        let (earlier, isTooEarly) = microseconds.subtractingReportingOverflow(Int64(clamping: age))
        return Timestamp(microseconds: isTooEarly ? .min : earlier)
    }

    /// Returns the microseconds since an earlier moment; 0 for a later one.
    package func microseconds(since earlier: Timestamp) -> UInt64 {
        let (age, isTooLong) = microseconds.subtractingReportingOverflow(earlier.microseconds)
        return isTooLong && microseconds > 0 ? .max : UInt64(clamping: isTooLong ? 0 : age)
    }

    public var description: String {
        let (seconds, fraction) = Self.split(microseconds, 1_000_000)
        let (days, second) = Self.split(seconds, 86_400)
        let (year, month, day) = Self.date(days)
        let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
        let time = [second / 3_600, second / 60 % 60, second % 60].map { Self.digits($0, 2) }
        return "\(date)T\(time.joined(separator: ":")).\(Self.digits(fraction, 6))Z"
    }

    /// Returns the quotient, rounded down, and the remainder, which is never negative.
    private static func split(_ number: Int64, _ divisor: Int64) -> (Int64, Int64) {
        let remainder = (number % divisor + divisor) % divisor
        return (number / divisor - (number % divisor < 0 ? 1 : 0), remainder)
    }

    /// Returns the date that is `days` days after the beginning of 1970. Within the calculation years
    /// begin in March, so that a leap day is the last day of its year.
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

    /// Returns the days from the beginning of 1970 to a date; the inverse of ``date(_:)``.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = split(marchYear, 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

/// A duration in the form that the command line accepts: `250ms`, `5s`, `2m`, `1h`.
package struct TimeSpan: Hashable, Sendable, CustomStringConvertible {
    package let milliseconds: UInt32

    package init(milliseconds: UInt32) {
        self.milliseconds = milliseconds
    }

    /// `nil` unless `text` is a number that is not negative, followed by its unit.
    package init?(_ text: some StringProtocol) {
        let units: [(suffix: String, milliseconds: Double)] = [
            ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000),
        ]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let number = Double(text.dropLast(unit.suffix.count)), number >= 0,
                number * unit.milliseconds <= Double(UInt32.max)
            else {
                return nil
            }
            self.init(milliseconds: UInt32(number * unit.milliseconds))
            return
        }
        return nil
    }

    package var description: String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}
