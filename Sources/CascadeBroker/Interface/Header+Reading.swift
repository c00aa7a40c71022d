// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

extension Header {
    /// Whether the broker looks at the message's fields: they are copied only where it does.
    package var isReadByBroker: Bool {
        switch command {
        case .trigger:
            flags.contains(.addressedInFields) || LaneCode(rawValue: code)?.lane == .error
        case .publish: flags.contains(.addressedInFields)
        default: true
        }
    }

    /// Whether the message itself may have to be sent on.
    package var travelsOn: Bool {
        switch command {
        case .trigger, .publish: true
        case .verdict: VerdictCode(rawValue: code).map(\.carriesPayload) ?? false
        default: false
        }
    }
}

extension VerdictCode {
    /// Whether what is behind the verdict's fields goes on to somebody else.
    fileprivate var carriesPayload: Bool {
        self == .replaced || self == .failed || self == .answered
    }
}
