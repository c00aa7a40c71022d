// SPDX-License-Identifier: Apache-2.0

/// How much happened in a run.
package struct SimulationCounts: Sendable {
    package var raised = 0
    package var ended = 0
    package var visits = 0
    package var messages = 0
    package var processCrashes = 0
    package var processStops = 0
    package var brokenConnections = 0
    package var refusedSends = 0
    package var daemonCrashes = 0
    package var daemonStops = 0

    package init() {}

    package static func += (total: inout SimulationCounts, run: SimulationCounts) {
        total.raised += run.raised
        total.ended += run.ended
        total.visits += run.visits
        total.messages += run.messages
        total.processCrashes += run.processCrashes
        total.processStops += run.processStops
        total.brokenConnections += run.brokenConnections
        total.refusedSends += run.refusedSends
        total.daemonCrashes += run.daemonCrashes
        total.daemonStops += run.daemonStops
    }
}
