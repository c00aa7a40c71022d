// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The outcome of a durable event as it stands in the journal: a `settled` that names the event,
/// and whose it is.
struct SettledRecord: Equatable, Sendable {
    var userID: UInt32
    /// Its ID is always there.
    var settled: Settled

    init(userID: UInt32, settled: Settled) {
        self.userID = userID
        self.settled = settled
    }

    func encoded() -> [UInt8] {
        var fields = FieldWriter()
        settled.write(to: &fields)
        fields.append(.userID, userID)
        var header = settled.header
        header.fieldsLength = UInt32(fields.bytes.count)
        return header.encoded() + fields.bytes
    }

    init(parsing message: [UInt8]) throws(WireError) {
        settled = try Settled(parsing: message)
        userID = .max
        var fields = try Header(parsing: message).fields(of: message)
        while let field = try fields.next() {
            if field.tag == .userID {
                userID = try field.integer()
            }
        }
        guard settled.id != nil else {
            throw WireError("the outcome of a durable event does not say of which")
        }
    }
}
