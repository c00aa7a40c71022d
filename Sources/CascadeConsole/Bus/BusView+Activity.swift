// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The counters of the nodes, from which their rates follow.
extension BusView {
    /// The time in microseconds after which counters say nothing of the present rate.
    private static let readingAgeMax: UInt64 = 5_000_000

    /// Takes the counters of the nodes whose counters have changed since the answer before.
    mutating func received(activity answer: ActivityAnswer, now: Timestamp) {
        when = now
        let before = tree.readAt.flatMap { readAt in
            answer.when > readAt
                && answer.when.microseconds(since: readAt) <= Self.readingAgeMax ? readAt : nil
        }
        tree.readAt = answer.when
        let formerlyBusy = tree.busy
        tree.busy = []
        for row in answer.rows {
            guard let number = tree.numbersOfPlaces[row.number] else {
                continue
            }
            take(row.counters, of: number, at: answer.when, since: before)
        }
        // Nothing is known of those that the answer had no room for.
        guard answer.otherCount == 0 else {
            tree.busy.formUnion(formerlyBusy)
            return
        }
        for number in formerlyBusy.subtracting(tree.busy).sorted() {
            if var activity = nodes[number]?.activity, activity.perSecond != 0 {
                activity.perSecond = 0
                show(activity, of: number)
            }
        }
    }

    /// - Parameter before: When the counters had the values that are known; `nil` if that is long ago.
    private mutating func take(
        _ counters: NodeCounters, of number: Int, at moment: Timestamp, since before: Timestamp?
    ) {
        let session = tree.readings[number]?.session
        let reading = NodeReading(when: moment, session: session, counters: counters)
        var known = before == nil ? nil : tree.readings[number]
        if let before, let when = known?.when {
            // A node without a row had these counters until the answer before.
            known?.when = max(when, before)
        }
        tree.readings[number] = reading
        let activity = ShownNode.Activity(reading, since: known)
        if activity.perSecond > 0 {
            tree.busy.insert(number)
        }
        show(activity, of: number)
    }

    mutating func show(_ activity: ShownNode.Activity, of number: Int) {
        guard var node = nodes[number], node.activity != activity else {
            return
        }
        node.activity = activity
        node.activityVersion = next()
        nodes.update(node)
    }
}
