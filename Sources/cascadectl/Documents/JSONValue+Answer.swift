// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

extension JSONValue {
    /// Parses a document in an answer. Throws ``Stop`` if it is not JSON.
    init(answer message: [UInt8]) throws {
        let text = try DocumentAnswer(parsing: message).document
        do throws(JSONError) {
            self = try JSONValue(parsing: text)
        } catch {
            throw Stop(.protocolError, "the bus's answer is not JSON: \(error)")
        }
    }
}
