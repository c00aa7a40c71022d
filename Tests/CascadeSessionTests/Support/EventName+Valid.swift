// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension EventName {
    static let ping = EventName(valid: "Ping")
    static let pong = EventName(valid: "Pong")

    private init(valid name: String) {
        do {
            try self.init(name)
        } catch {
            preconditionFailure(error.description)
        }
    }
}
