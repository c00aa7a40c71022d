// SPDX-License-Identifier: Apache-2.0

/// The rates of faults and changes, per thousand ticks.
struct FaultRates: CustomStringConvertible {
    /// A process is killed: between two messages, or between the effects of one.
    var processCrashes: Int
    /// A process is stopped, and continued later.
    var processStops: Int
    /// A connection breaks while both ends live.
    var brokenConnections: Int
    /// No message passes to or from a process for a time.
    var partitions: Int
    /// A new connection loses all messages; per thousand connections.
    var blackHoles: Int
    /// The daemon's send to a peer is refused.
    var refusedSends: Int
    var daemonCrashes: Int
    var daemonStops: Int
    /// Nodes attach, leave, change, or are moved, drained and detached.
    var changes: Int

    init(_ random: inout Randomness) {
        // Every sixth bus has no faults: a finding there needs none.
        let isQuiet = random.below(6) == 0
        func rate(_ choices: [Int], _ random: inout Randomness) -> Int {
            let rate = random.pick(choices)
            return isQuiet ? 0 : rate
        }
        processCrashes = rate([0, 5, 30], &random)
        processStops = rate([0, 5, 30], &random)
        brokenConnections = rate([0, 5, 30], &random)
        partitions = rate([0, 0, 5], &random)
        blackHoles = rate([0, 100], &random)
        refusedSends = rate([0, 0, 10], &random)
        daemonCrashes = rate([0, 3, 15], &random)
        daemonStops = rate([0, 0, 10], &random)
        changes = random.pick([0, 40, 150])
    }

    var description: String {
        """
        of 1,000 ticks: process crashes \(processCrashes), process stops \(processStops), broken \
        connections \(brokenConnections), partitions \(partitions), black holes \
        \(blackHoles), refused sends \(refusedSends), daemon crashes \
        \(daemonCrashes), daemon stops \(daemonStops), changes \(changes)
        """
    }
}
