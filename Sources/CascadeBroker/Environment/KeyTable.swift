// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers of the keys of environment and preferences, dense from 0.
struct KeyTable: Sendable {
    private let limit: UInt32
    private var numbers: [String: UInt32] = [:]
    private(set) var names: [EventName] = []
    /// Those that the bus itself knows.
    private var builtIns: [BuiltInKey?] = []

    init(limit: UInt32) {
        self.limit = limit
    }

    var count: Int {
        names.count
    }

    /// The number of `key`, given to it now if it has none.
    mutating func number(of key: EventName) throws(WireError) -> UInt32 {
        if let number = numbers[key.description] {
            return number
        }
        guard names.count < Int(limit) else {
            throw WireError(
                .limitReached, "'\(key)' would be one key more than \(limit) (limit keys)")
        }
        let number = UInt32(names.count)
        names.append(key)
        builtIns.append(BuiltInKey(key))
        numbers[key.description] = number
        return number
    }

    /// The number of `key` if it has one.
    func existingNumber(of key: EventName) -> UInt32? {
        numbers[key.description]
    }

    /// The number of a name that stands in a rule, which has one since the rule was read.
    func existingNumber(of key: String) -> UInt32? {
        numbers[key]
    }

    /// What the bus itself knows under the key; `nil` for a key that is set and has rules.
    func builtIn(_ number: UInt32) -> BuiltInKey? {
        builtIns[Int(number)]
    }

    subscript(number: UInt32) -> EventName {
        names[Int(number)]
    }
}
