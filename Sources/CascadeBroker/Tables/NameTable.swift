// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers of names: what is compared all the time is a number, not a text.
struct NameTable: Sendable {
    /// Stands for a name without a number. Only responders to every name match it.
    static let none: UInt32 = 0

    private var numbers: [EventName: UInt32] = [:]
    private var names: [EventName] = []
    private var reservedNumbers: Set<UInt32> = []

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
        let number = UInt32(names.count)
        numbers[name] = number
        if name.isReserved {
            reservedNumbers.insert(number)
        }
        return number
    }

    /// The number of `name` if it has one.
    func existingNumber(of name: EventName) -> UInt32? {
        numbers[name]
    }

    /// Whether the name of this number is one that only the bus may raise.
    func isReserved(_ number: UInt32) -> Bool {
        !reservedNumbers.isEmpty && reservedNumbers.contains(number)
    }

    /// `nil` if no name has this number.
    func name(_ number: UInt32) -> EventName? {
        number >= 1 && number <= names.count ? names[Int(number) - 1] : nil
    }
}
