// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The outcome of a message, with paths in place of node numbers.
package struct SettledEvent: Sendable {
    package var ended: OutcomeMessage
    /// The node that handled the message.
    package var by: NodePath?
    /// The reply to a request, or the payload of the error with which a request failed.
    package var reply: Reply?

    package init(_ settled: Settled) {
        ended = settled.ended
        by = settled.handler
    }

    package init(
        _ ended: consuming OutcomeMessage, by node: NodePath? = nil, reply: Reply? = nil
    ) {
        by = ended.handler ?? node
        self.ended = ended
        self.reply = reply
    }
}

extension Session {
    /// Reads the outcome that ``SessionEffect/ended(_:message:)`` reports. Throws `WireError` if it is not
    /// valid.
    package func settled(
        _ header: Header, _ message: [UInt8]
    ) throws(WireError) -> SettledEvent {
        let fields = header.fieldsLength == 0 ? FieldReader([]) : header.fields(of: message)
        let reply =
            header.flags.contains(.carriesReply)
            ? Reply(
                payload: Array(header.payload(of: message)),
                contentType: try RaisedFields(fields: fields).contentType) : nil
        return SettledEvent(
            try OutcomeMessage(header: header, fields: fields), by: path(of: header.node),
            reply: reply)
    }
}
