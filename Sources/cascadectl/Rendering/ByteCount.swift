// SPDX-License-Identifier: Apache-2.0

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
