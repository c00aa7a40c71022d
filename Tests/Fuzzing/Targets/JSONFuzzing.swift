// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// A JSON value that was read is written as one that reads as the same, and both readers agree.
enum JSONFuzzing {
    static func run(_ bytes: [UInt8]) {
        let scalars = TopLevelScalars(bytes)
        do throws(JSONError) {
            let value = try JSONValue(parsing: bytes[...])
            let again = try? JSONValue(parsing: value.text)
            precondition(again == value, "'\(value.text)' does not read back")
            agree(scalars, value)
        } catch {
            // A skipped value may have any depth.
            precondition(
                scalars.count == 0 || error.isTooDeep, "only one takes it for JSON: \(error)")
        }
    }

    private static func agree(_ scalars: TopLevelScalars, _ value: JSONValue) {
        guard case .object(let members) = value else {
            precondition(scalars.count == 0)
            return
        }
        let strings = members.filter { $0.value.string != nil }
        for member in strings where scalars[member.key] != nil {
            guard case .string(let text)? = value[member.key] else {
                continue
            }
            precondition(scalars[member.key] == .string(text), "two readings of '\(member.key)'")
        }
    }
}
