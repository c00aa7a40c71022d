// SPDX-License-Identifier: Apache-2.0

import CascadeInspection

extension Age {
    /// Returns milliseconds with one decimal, or two below a millisecond.
    static func milliseconds(_ microseconds: UInt32) -> String {
        let hundredths = (microseconds + 5) / 10
        guard microseconds >= 1_000 else {
            return "\(hundredths / 100).\(twoDigits(hundredths % 100)) ms"
        }
        let tenths = (UInt64(microseconds) + 50) / 100
        return "\(tenths / 10).\(tenths % 10) ms"
    }

    private static func twoDigits(_ number: UInt32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// Byte counts as text.
enum ByteCount {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB"]

    /// Returns a byte count with one decimal, from a kibibyte on.
    static func text(_ count: UInt64) -> String {
        var size = Double(count)
        var unit = 0
        while size >= 1024, unit < units.count - 1 {
            size /= 1024
            unit += 1
        }
        let tenths = UInt64(size * 10)
        return unit == 0 ? "\(count) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

/// Rates as text.
enum Rate {
    /// Returns a rate per second: `0/s`, `<0.1/s`, `2.5/s`, `1200/s`.
    static func text(count: UInt64, microseconds: UInt64) -> String {
        guard count > 0 else {
            return "0/s"
        }
        let tenths = (Double(count) * 10_000_000 / Double(max(microseconds, 1))).rounded()
        guard tenths >= 1 else {
            return "<0.1/s"
        }
        guard tenths >= 100 else {
            return "\(Int(tenths) / 10).\(Int(tenths) % 10)/s"
        }
        return "\(UInt64(exactly: (tenths / 10).rounded()) ?? .max)/s"
    }
}
