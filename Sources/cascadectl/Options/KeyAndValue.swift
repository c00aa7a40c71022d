// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// An argument of the form `KEY=JSON`.
struct KeyAndValue {
    let key: EventName
    /// The JSON in its shortest form.
    let json: String

    /// Parses the argument. Throws ``Stop`` for an invalid key, or a value that is not JSON.
    init(_ text: some StringProtocol, form: String = "KEY=JSON") throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw Stop(.usage, "'\(text)' is not of the form \(form)")
        }
        key = try EventName(String(text[..<equals]))
        do throws(JSONError) {
            json = try JSONValue(parsing: String(text[text.index(after: equals)...])).text
        } catch {
            throw Stop(
                .badData,
                "the value of '\(key)' is not JSON: \(error); write a string as '\"…\"'")
        }
    }
}
