// SPDX-License-Identifier: Apache-2.0

/// The answer to a query for the activity of nodes: the counters of those whose counters have changed since
/// the answer before, the busiest first.
package struct ActivityAnswer: WireMessage {
    package static let command = Command.answer

    /// The most nodes of one answer.
    package static let countMax = 4_096
    /// The shortest time between two answers, in milliseconds.
    package static let intervalMin: UInt32 = 250

    /// The counters of one node.
    package struct Row: Equatable, Sendable {
        /// The number that the tree's answer gives to the node.
        package var number: UInt32
        package var counters: NodeCounters

        package init(number: UInt32, counters: NodeCounters) {
            self.number = number
            self.counters = counters
        }
    }

    package var request: UInt64
    /// The moment of the counters on the daemon's wall clock.
    package var when: Timestamp
    package var rows: [Row]
    /// The number of nodes that are left out because there are too many, and the sums of their counters.
    package var otherCount: UInt32 = 0
    package var others = NodeCounters()

    package init(request: UInt64, when: Timestamp, rows: [Row]) {
        self.request = request
        self.when = when
        self.rows = rows
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, when: Timestamp(microseconds: 0), rows: [])
        while let field = try fields.next() {
            var parts = field.parts
            switch field.tag {
            case .moment: when = Timestamp(microseconds: Int64(bitPattern: try field.integer()))
            case .activity:
                rows.append(
                    Row(number: try parts.integer(), counters: try NodeCounters(&parts)))
            case .otherActivity:
                otherCount = try parts.integer()
                others = try NodeCounters(&parts)
            default: break
            }
        }
    }

    package var header: Header {
        Header(.answer, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.moment, UInt64(bitPattern: when.microseconds))
        for row in rows {
            fields.append(.activity) { parts in
                parts.append(row.number)
                row.counters.write(to: &parts)
            }
        }
        if otherCount > 0 {
            fields.append(.otherActivity) { parts in
                parts.append(otherCount)
                others.write(to: &parts)
            }
        }
    }
}

/// What a node has to answer, and what it has answered since it attached.
package struct NodeCounters: Equatable, Sendable {
    /// Visits and deliveries that are under way to the node or wait for it.
    package var queue: UInt64 = 0
    package var visits: UInt64 = 0
    package var errors: UInt64 = 0
    /// From the departure of visits to the arrival of their verdicts, summed up, and over how many.
    package var latencyMicroseconds: UInt64 = 0
    package var measured: UInt64 = 0

    package init() {}

    /// Takes those of the counters of a node in the tree.
    package init(_ counters: [NamedNumber]) {
        for counter in counters {
            switch counter.name {
            case "queue": queue = counter.value
            case "visits": visits = counter.value
            case "errors": errors = counter.value
            case "latency": latencyMicroseconds = counter.value
            case "measured": measured = counter.value
            default: break
            }
        }
    }

    init(_ parts: inout PartReader) throws(WireError) {
        queue = try parts.integer()
        visits = try parts.integer()
        errors = try parts.integer()
        latencyMicroseconds = try parts.integer()
        measured = try parts.integer()
    }

    func write(to parts: inout PartWriter) {
        for number in [queue, visits, errors, latencyMicroseconds, measured] {
            parts.append(number)
        }
    }

    /// The counters as the tree's answer has them.
    package var named: [NamedNumber] {
        [
            NamedNumber("queue", queue), NamedNumber("visits", visits),
            NamedNumber("errors", errors), NamedNumber("latency", latencyMicroseconds),
            NamedNumber("measured", measured),
        ]
    }

    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.queue &+= right.queue
        sum.visits &+= right.visits
        sum.errors &+= right.errors
        sum.latencyMicroseconds &+= right.latencyMicroseconds
        sum.measured &+= right.measured
        return sum
    }
}
