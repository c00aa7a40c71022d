// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

extension JSONValue {
    /// The document that the bus has answered with. Throws ``Stop`` if it is none.
    init(answer message: [UInt8]) throws {
        let text = try DocumentAnswer(parsing: message).document
        do throws(JSONError) {
            self = try JSONValue(parsing: text)
        } catch {
            throw Stop(.protocolError, "the bus's answer is no JSON: \(error)")
        }
    }
}
