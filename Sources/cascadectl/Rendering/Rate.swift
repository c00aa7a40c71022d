// SPDX-License-Identifier: Apache-2.0

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
