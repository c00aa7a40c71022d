// SPDX-License-Identifier: Apache-2.0

/// What becomes of an event that passes a node under a name declared neither there nor below.
public enum SafetyLevel: UInt8, Sendable, CaseIterable, Comparable {
    /// Nothing is checked.
    case disabled = 0
    /// It goes on, and the daemon warns once a name and node.
    case relaxed = 1
    /// It is rejected.
    case strict = 2

    /// The level as the command line writes it.
    public var name: String {
        "\(self)"
    }

    public static func < (left: SafetyLevel, right: SafetyLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension SafetyLevel {
    /// A level that came over the wire. One that is not known must not pass for none.
    init(decoding number: UInt8) throws(WireError) {
        guard let level = SafetyLevel(rawValue: number) else {
            throw WireError("there is no level of safety \(number)")
        }
        self = level
    }
}
