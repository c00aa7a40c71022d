// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A step of a message, as far as it is known before a monitor event is made.
struct MessageStep {
    var steps: MessageSteps
    /// `nil` for a message that has just been raised.
    var outcome: OutcomeCode?
    var name: EventName?
    var origin: NodePath
    var account: AccountIndex
    /// Whether the step is counted if it is left out: each message once at its beginning and once at its end.
    var isCounted = true

    init(
        _ steps: MessageSteps, _ outcome: OutcomeCode?, _ name: EventName?, _ origin: NodePath,
        _ account: AccountIndex
    ) {
        self.steps = steps
        self.outcome = outcome
        self.name = name
        self.origin = origin
        self.account = account
    }

    init(beginningOf record: TraceRecord, _ account: AccountIndex) {
        self.init(.beginning(of: record.lane), nil, record.name, record.origin, account)
    }

    init(endOf record: TraceRecord, _ account: AccountIndex) {
        self.init(.end(of: record.lane), record.outcome, record.name, record.origin, account)
    }
}
