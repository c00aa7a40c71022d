// SPDX-License-Identifier: Apache-2.0

/// The answer to a query for the bus: who the daemon is, what it counted, and its limits.
package struct BusAnswer: WireMessage {
    package static let command = Command.answer

    package var request: UInt64
    package var bus: String
    package var release: String
    package var processID: UInt32
    package var ageMicroseconds: UInt64
    /// Since when the daemon runs, on its wall clock: the same at each look. `nil` from a daemon
    /// that does not say.
    package var since: Timestamp?
    package var counters: [NamedNumber]
    package var limits: [NamedNumber]
    /// How much of a limit is used, for those where that can be said.
    package var uses: [NamedNumber]

    package init(
        request: UInt64, bus: String, release: String, processID: UInt32, ageMicroseconds: UInt64,
        counters: [NamedNumber], limits: [NamedNumber], uses: [NamedNumber] = []
    ) {
        self.request = request
        self.bus = bus
        self.release = release
        self.processID = processID
        self.ageMicroseconds = ageMicroseconds
        self.counters = counters
        self.limits = limits
        self.uses = uses
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(
            request: header.id, bus: "", release: "", processID: 0,
            ageMicroseconds: header.sequence, counters: [], limits: [])
        while let field = try fields.next() {
            switch field.tag {
            case .bus: bus = try field.text()
            case .release: release = try field.text()
            case .processID: processID = try field.integer()
            case .counter: counters.append(try NamedNumber(field))
            case .limit: limits.append(try NamedNumber(field))
            case .use: uses.append(try NamedNumber(field))
            case .moment:
                since = Timestamp(microseconds: Int64(bitPattern: try field.integer()))
            default: break
            }
        }
    }

    package var header: Header {
        Header(.answer, id: request, sequence: ageMicroseconds)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.bus, bus)
        fields.append(.release, release)
        fields.append(.processID, processID)
        if let since {
            fields.append(.moment, UInt64(bitPattern: since.microseconds))
        }
        for counter in counters {
            counter.write(as: .counter, to: &fields)
        }
        for limit in limits {
            limit.write(as: .limit, to: &fields)
        }
        for use in uses {
            use.write(as: .use, to: &fields)
        }
    }
}
