// SPDX-License-Identifier: Apache-2.0

public import CascadeWire

/// The status of the bus.
public struct BusStatusDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/status"

    public private(set) var schema = DocumentSchema<Self>()
    /// The name of the bus.
    public var bus: String
    /// The release of the daemon.
    public var release: String
    /// The process ID of the daemon.
    public var pid: UInt32
    /// The start of the daemon.
    public var since: Timestamp
    /// The counters of the daemon, such as the number of messages.
    public var counters: NamedMembers<UInt64>
    /// The limits of the bus.
    public var limits: NamedMembers<UInt64>
    /// The used amounts of those limits whose use is counted.
    public var uses: NamedMembers<UInt64>?
}

extension BusStatusDocument {
    /// Creates the document of the bus's answer, which came at the time `now`.
    package init(_ answer: BusAnswer, now: Timestamp) {
        self.init(
            bus: answer.bus, release: answer.release, pid: answer.processID,
            since: answer.since ?? now.earlier(byMicroseconds: answer.ageMicroseconds),
            counters: NamedMembers(answer.counters), limits: NamedMembers(answer.limits),
            uses: NamedMembers(answer.uses))
    }
}

/// The status of one node.
public struct NodeStatusDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/status"

    public private(set) var schema = DocumentSchema<Self>()
    /// The name of the bus.
    public var bus: String
    public var node: InspectedNode

    public init(bus: String, node: InspectedNode) {
        self.bus = bus
        self.node = node
    }
}

extension InspectedNode {
    private static let outcomeCountMax = 5

    /// Adds the values that the node reads, its preferences, and the last outcomes. `past` has the
    /// bus's monitor events about the node, oldest first.
    package mutating func add(
        _ values: EnvironmentDocument, _ preferences: PreferencesDocument,
        _ past: PastMonitorEventsDocument
    ) {
        environment = NamedMembers(
            values.values.compactMap { entry in
                entry.value.map { .init(entry.key.description, $0) }
            })
        self.preferences = preferences.preferences
        let ended = past.happenings.reversed().filter { ["ended", "delivered"].contains($0.what) }
            .map { event in
                var event = event
                event.schema = nil
                return event
            }
        outcomes = ended.isEmpty ? nil : Array(ended.prefix(Self.outcomeCountMax))
        lastError = ended.first { $0.error != nil }
    }
}
