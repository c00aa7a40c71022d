// SPDX-License-Identifier: Apache-2.0

/// A duration as people write it to the command line: `250ms`, `5s`, `2m`, `1h`.
package struct TimeSpan: Hashable, Sendable, CustomStringConvertible {
    package let milliseconds: UInt32

    package init(milliseconds: UInt32) {
        self.milliseconds = milliseconds
    }

    /// `nil` unless `text` is a number that is not negative, with its unit behind it.
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
