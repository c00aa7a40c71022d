// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers of names: what is compared all the time is a number, not a text.
struct NameTable: Sendable {
    /// Stands for a name without a number. Only responders to every name match it.
    static let none: UInt32 = 0

    private var numbers: [EventName: UInt32] = [:]
    private var names: [EventName] = []
    private var reserved: [Bool] = []

    /// How many names have numbers.
    var count: Int {
        names.count
    }

    /// The number of `name`, given to it now if it has none.
    mutating func number(of name: EventName) -> UInt32 {
        if let number = numbers[name] {
            return number
        }
        names.append(name)
        reserved.append(name.isReserved)
        let number = UInt32(names.count)
        numbers[name] = number
        return number
    }

    /// The number of `name` if it has one.
    func existingNumber(of name: EventName) -> UInt32? {
        numbers[name]
    }

    /// Whether only the bus itself raises what has this name.
    func isReserved(_ number: UInt32) -> Bool {
        reserved[Int(number) - 1]
    }

    /// `nil` if no name has this number.
    func name(_ number: UInt32) -> EventName? {
        number >= 1 && number <= names.count ? names[Int(number) - 1] : nil
    }
}

extension EventName {
    /// Whether only the bus itself raises what is called so.
    var isReserved: Bool {
        description.hasPrefix("cascade.")
    }
}
