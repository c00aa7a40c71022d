// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The limit that the bus has set for one message. What exceeds it is refused here: the daemon may
/// end the connection before it has seen what is wrong.
extension Session {
    /// Throws ``WireError`` for a message of so many bytes if that is over the limit.
    func checkMessage(byteCount: Int) throws(WireError) {
        guard byteCount <= messageByteCountMax else {
            throw WireError(
                .limitReached,
                "the message has \(byteCount) bytes, more than the limit messageBytes of "
                    + "\(messageByteCountMax)")
        }
    }

    /// A verdict that can be sent: one that is too long becomes a failure of its node.
    func withinLimit(
        _ header: Header, _ fields: [UInt8], _ payload: [UInt8]
    ) -> SessionEffect {
        do throws(WireError) {
            try checkMessage(byteCount: Header.byteCount + fields.count + payload.count)
            return .sendRaised(header, fields: fields, payload: payload)
        } catch {
            var header = header
            header.code = VerdictCode.failed.rawValue
            var fields = FieldWriter()
            Failure(error.code, message: error.description).write(to: &fields)
            header.fieldsLength = UInt32(fields.bytes.count)
            return .sendRaised(header, fields: fields.bytes, payload: [])
        }
    }
}
