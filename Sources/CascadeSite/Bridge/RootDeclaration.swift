// SPDX-License-Identifier: Apache-2.0

/// Whether `/` stands for what is above, and the change of its declaration that is under way.
///
/// One change is under way at a time, unless it abandons visits.
struct RootDeclaration: Sendable {
    /// A change that has been sent.
    struct Change: Sendable {
        var request: UInt64
        /// Whether the site's own bus has not answered yet.
        var isUnderWay = true
        /// Whether `/` sets values of the parent's.
        var hasValues: Bool
        var isCarrying: Bool
        var abandons: Bool
    }

    /// Whether `/` is to stand for what is above.
    var isCarrying = false
    /// Whether `/` stands for what is above, as the site's own bus has confirmed.
    private(set) var isCarryingConfirmed = false
    /// Whether the declaration is to be sent once `/` is attached.
    private var isDue = false
    /// The last change.
    private var change: Change?
    /// The number of changes that have been sent.
    private(set) var changeCount = 0

    /// Whether no change is due, and the last one is confirmed.
    var isSettled: Bool {
        !isDue && isCarryingConfirmed == isCarrying
    }

    mutating func markDue() {
        isDue = true
    }

    /// Whether a change is due, and may be sent now.
    func isSendable(abandons: Bool) -> Bool {
        isDue && (abandons || change?.isUnderWay != true)
    }

    mutating func changeSent(_ request: UInt64, hasValues: Bool, abandons: Bool) {
        isDue = false
        changeCount += 1
        change = Change(
            request: request, hasValues: hasValues, isCarrying: isCarrying, abandons: abandons)
    }

    /// The site's own bus has confirmed a request, which may be the change.
    mutating func done(_ request: UInt64) {
        if let change, change.request == request, change.isUnderWay {
            self.change?.isUnderWay = false
            isCarryingConfirmed = change.isCarrying
        }
    }

    /// The site's own bus has refused a request.
    ///
    /// - Returns: The change as it was, if the request was for that.
    mutating func refused(_ request: UInt64) -> Change? {
        guard let change, change.request == request else {
            return nil
        }
        self.change?.isUnderWay = false
        return change
    }

    /// The session at home has lost `/`, or its connection: the change that is under way is not answered.
    mutating func rootLost() {
        change?.isUnderWay = false
    }

    /// Counts the declaration as confirmed while `/` is not attached: no event is visited here before `/` is
    /// attached again, and then it is as it should be.
    mutating func assumeConfirmed() {
        isCarryingConfirmed = isCarrying
    }
}
