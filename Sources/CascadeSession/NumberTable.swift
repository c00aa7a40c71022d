// SPDX-License-Identifier: Apache-2.0

/// Values by the daemon's numbers. Most messages use the number of the message before them, so the
/// last number is compared before the lookup.
struct NumberTable<Value: Sendable>: Sendable {
    private var values: [UInt32: Value] = [:]
    private var last: (number: UInt32, value: Value)?

    subscript(number: UInt32) -> Value? {
        mutating get {
            if let last, last.number == number {
                return last.value
            }
            guard let value = values[number] else {
                return nil
            }
            last = (number, value)
            return value
        }
    }

    mutating func insert(_ value: Value, at number: UInt32) {
        values[number] = value
        last = nil
    }

    mutating func remove(_ number: UInt32) -> Value? {
        last = nil
        return values.removeValue(forKey: number)
    }

    mutating func removeAll() {
        values = [:]
        last = nil
    }
}
