// SPDX-License-Identifier: Apache-2.0

/// Durations as text.
enum Age {
    /// Returns a duration in its one or two leading units: `40s`, `5m`, `3h 20m`, `12d 4h`.
    static func text(microseconds: UInt64) -> String {
        let seconds = microseconds / 1_000_000
        let minutes = seconds / 60
        let hours = minutes / 60
        return switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(minutes)m"
        case ..<86_400: minutes % 60 == 0 ? "\(hours)h" : "\(hours)h \(minutes % 60)m"
        default: hours % 24 == 0 ? "\(hours / 24)d" : "\(hours / 24)d \(hours % 24)h"
        }
    }

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
