// SPDX-License-Identifier: Apache-2.0

/// What is left in the tables, for whoever checks that nothing stays behind.
extension Broker {
    /// What is there that is not needed once everybody has gone and every grace time has ended; one
    /// clause each.
    package var remains: [String] {
        [
            (propagations.count, "events are under way"),
            (publications.count, "publications are under way"),
            (deliveries.count, "deliveries are under way"),
            (hierarchy.count - 1, "places are in the tree"),
            (keptMessages.count - retained.count, "messages are kept for no retained value"),
            (watchers.count + monitors.count, "sessions watch"),
            (drains.count, "drains wait"),
        ].filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
    }

    /// How many values are retained.
    package var retainedCount: Int {
        retained.count
    }
}
