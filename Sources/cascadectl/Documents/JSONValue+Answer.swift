// SPDX-License-Identifier: Apache-2.0

import Cascade

extension JSONValue {
    /// Parses a document in an answer. Throws ``Stop`` if it is not JSON.
    init(answer message: [UInt8]) throws {
        let text = try DocumentAnswer(parsing: message).document
        do throws(JSONError) {
            self = try JSONParser.parse(text)
        } catch {
            throw Stop(.protocolError, "the bus's answer is not JSON: \(error)")
        }
    }
}
