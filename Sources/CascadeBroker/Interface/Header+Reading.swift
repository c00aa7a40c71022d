// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension Header {
    /// Whether the broker looks at the message's fields: they are copied only where it does.
    var isReadByBroker: Bool {
        switch command {
        case .trigger:
            flags.contains(.addressedInFields) || LaneCode(rawValue: code)?.lane == .error
        case .publish: flags.contains(.addressedInFields)
        default: true
        }
    }

    /// Whether the bytes after a verdict's fields are passed on to another node or peer.
    var carriesPayload: Bool {
        switch VerdictCode(rawValue: code) {
        case .replaced, .failed, .answered: true
        case _: false
        }
    }
}
