// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The value of every bound of the bus. What exceeds one is refused with an error that names it.
/// ``Limit/all`` describes each.
package struct Limits: Equatable, Sendable {
    package var depth: UInt32 = UInt32(NodePath.depthMax)
    package var pathBytes: UInt32 = 4096
    package var nodes: UInt32 = 1 << 20
    package var nodesPerSession: UInt32 = 1024
    package var declarationsPerSession: UInt32 = 1 << 14
    package var respondersPerNode: UInt32 = 1024
    package var subscriptionsPerNode: UInt32 = 1024
    package var names: UInt32 = 1 << 16
    package var absentSessions: UInt32 = 1024
    package var connectionsPerUser: UInt32 = 16_384
    package var sessionsPerUser: UInt32 = 16_384
    package var nodesPerUser: UInt32 = 1 << 18
    package var bytesPerUser: UInt32 = 256 << 20
    package var credit: UInt32 = 2048
    package var messageBytes: UInt32 = 16 << 20
    package var prefetchBytes: UInt32 = 64 << 20
    package var unreadBytes: UInt32 = 64 << 20
    package var waitingBytes: UInt32 = 512 << 20
    package var waitingMessages: UInt32 = 1 << 14
    package var framesPerMessage: UInt32 = 4096
    package var replyBytes: UInt32 = 16 << 20
    package var deathsPerEvent: UInt32 = 3
    package var waitingEmits: UInt32 = 1 << 16
    package var predicateSteps: UInt32 = 1 << 20
    package var recipients: UInt32 = 1 << 14
    package var causes: UInt32 = 32
    package var repeatingQueries: UInt32 = 16
    package var monitors: UInt32 = 64
    package var queriesPerUser: UInt32 = 256
    package var querySteps: UInt32 = 1 << 22
    package var monitored: UInt32 = 4096
    package var held: UInt32 = 1024
    package var heldBytes: UInt32 = 64 << 20
    package var undelivered: UInt32 = 1024
    package var undeliveredBytes: UInt32 = 16 << 20
    package var durable: UInt32 = 1 << 14
    package var durableBytes: UInt32 = 64 << 20
    package var durableOutcomes: UInt32 = 4096
    package var retained: UInt32 = 1024
    package var retainedBytes: UInt32 = 64 << 20
    package var suspects: UInt32 = 1024
    package var traces: UInt32 = 4096
    package var happenings: UInt32 = 1024
    package var keysPerNode: UInt32 = 1024
    package var valueBytes: UInt32 = 64 << 10
    package var keys: UInt32 = 1 << 16
    package var keptValues: UInt32 = 1 << 16
    package var rulesPerNode: UInt32 = 1024
    package var fileRules: UInt32 = 1 << 16

    package init() {}

    /// Throws if the count is above the limit of this name.
    static func check(
        _ count: Int, _ what: String, _ limit: UInt32, named name: String
    ) throws(WireError) {
        guard count <= Int(limit) else {
            throw WireError(
                .limitReached, "\(count) \(what), more than \(limit) (limit \(name))")
        }
    }

    /// All of them by name, for peers and people; beside what can be set, the depth of values.
    package var named: [NamedNumber] {
        Limit.all.map { NamedNumber($0.name, UInt64(self[keyPath: $0.member])) }
            + [NamedNumber("valueDepth", UInt64(KeyValue.depthMax))]
    }
}
