// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The outcome of a durable event as it stands in the journal: a `settled` that names the event,
/// and whose it is.
struct SettledRecord: Equatable, Sendable {
    var owner: DurableOwner
    /// Its ID is always there.
    var settled: Settled

    init(owner: DurableOwner, settled: Settled) {
        self.owner = owner
        self.settled = settled
    }

    func encoded() -> [UInt8] {
        var fields = FieldWriter()
        settled.write(to: &fields)
        owner.write(to: &fields)
        var header = settled.header
        header.fieldsLength = UInt32(fields.bytes.count)
        return header.encoded() + fields.bytes
    }

    init(parsing message: [UInt8]) throws(WireError) {
        settled = try Settled(parsing: message)
        owner = try DurableOwner(fields: Header(parsing: message).fields(of: message))
        guard settled.id != nil else {
            throw WireError("the outcome of a durable event does not say of which")
        }
    }
}
