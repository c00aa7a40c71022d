// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// `KEY=JSON` as it stands among the arguments.
struct KeyAndValue {
    let key: EventName
    /// As short as it can be written.
    let json: String

    /// Throws ``Stop`` where the key is none, or the value is no JSON.
    init(_ text: some StringProtocol, form: String = "KEY=JSON") throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw Stop(.usage, "a value is written \(form), not '\(text)'")
        }
        key = try EventName(String(text[..<equals]))
        do throws(JSONError) {
            json = try JSONValue(parsing: String(text[text.index(after: equals)...])).text
        } catch {
            throw Stop(
                .badData,
                "the value of '\(key)' is no JSON: \(error); a string is written '\"…\"'")
        }
    }
}
