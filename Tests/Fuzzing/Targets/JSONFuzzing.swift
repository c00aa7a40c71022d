// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// What is read as JSON can be written, and reads as the same again; and both readers agree.
enum JSONFuzzing {
    static func run(_ bytes: [UInt8]) {
        let scalars = TopLevelScalars(bytes)
        do throws(JSONError) {
            let value = try JSONParser.parse(bytes[...])
            let again = try? JSONParser.parse(value.text)
            precondition(again == value, "'\(value.text)' does not read back")
            agree(scalars, value)
        } catch {
            // The one reader nests, the other does not have to.
            let isTooDeep = error.description.contains("levels")
            precondition(scalars.count == 0 || isTooDeep, "only one takes it for JSON: \(error)")
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
