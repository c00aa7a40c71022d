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

    /// The number of the name that was raised, by its number or as a text; ``none`` for a name
    /// without one.
    func raised(_ number: UInt32, _ text: EventName?) throws(WireError) -> UInt32 {
        guard number == Self.none else {
            guard let name = name(number) else {
                throw WireError("the name \(number) was never defined")
            }
            guard !isReserved(number) else {
                throw WireError.reserved(name)
            }
            return number
        }
        guard let text else {
            throw WireError(.badName, "an event has no name")
        }
        guard !text.isReserved else {
            throw WireError.reserved(text)
        }
        return existingNumber(of: text) ?? Self.none
    }
}

extension WireError {
    fileprivate static func reserved(_ name: EventName) -> WireError {
        WireError(
            .reservedName,
            "the name '\(name)' is the bus's own: those that begin with 'cascade.' are reserved")
    }
}

extension EventName {
    /// Whether only the bus itself raises what is called so.
    var isReserved: Bool {
        description.hasPrefix("cascade.")
    }
}
