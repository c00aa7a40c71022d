// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A duration as the command line writes it: `250ms`, `5s`, `2m`.
struct Time: ExpressibleByArgument, CustomStringConvertible {
    let milliseconds: UInt32

    init(milliseconds: UInt32) {
        self.milliseconds = milliseconds
    }

    init?(argument: String) {
        let units: [(suffix: String, milliseconds: Double)] = [
            ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000),
        ]
        for unit in units where argument.hasSuffix(unit.suffix) {
            guard let number = Double(argument.dropLast(unit.suffix.count)), number >= 0,
                number * unit.milliseconds <= Double(UInt32.max)
            else {
                return nil
            }
            self.init(milliseconds: UInt32(number * unit.milliseconds))
            return
        }
        return nil
    }

    var description: String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}
