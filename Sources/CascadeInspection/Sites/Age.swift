// SPDX-License-Identifier: Apache-2.0

/// Durations as text.
package enum Age {
    /// Returns a duration in its one or two leading units: `40s`, `5m`, `3h 20m`, `12d 4h`.
    package static func text(microseconds: UInt64) -> String {
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
}
