// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// Checks that an accepted JSON value is written as an equal one, and that both readers agree.
enum JSONFuzzing {
    static func run(_ bytes: [UInt8]) {
        let scalars = TopLevelScalars(bytes)
        do throws(JSONError) {
            let value = try JSONValue(parsing: bytes[...])
            let again = try? JSONValue(parsing: value.text)
            precondition(again == value, "'\(value.text)' is written as another value")
            checkAgreement(scalars, value)
        } catch {
            // The reader of scalars accepts values of any depth, because it skips them.
            precondition(
                scalars.count == 0 || error.isTooDeep, "only one reader accepts it: \(error)")
        }
    }

    private static func checkAgreement(_ scalars: TopLevelScalars, _ value: JSONValue) {
        guard case .object(let members) = value else {
            precondition(scalars.count == 0)
            return
        }
        let strings = members.filter { $0.value.string != nil }
        for member in strings where scalars[member.key] != nil {
            guard case .string(let text)? = value[member.key] else {
                continue
            }
            precondition(
                scalars[member.key] == .string(text), "the readers differ at '\(member.key)'")
        }
    }
}
