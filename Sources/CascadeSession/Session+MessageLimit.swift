// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The bus's limit for the length of a message. Longer messages are refused here, because the
/// daemon may end the connection before it can report the error.
extension Session {
    /// Throws ``WireError`` if a message of this length exceeds the limit.
    func checkMessage(byteCount: Int) throws(WireError) {
        guard byteCount <= messageByteCountMax else {
            throw WireError(
                .limitReached,
                "the message has \(byteCount) bytes, more than the limit messageBytes of "
                    + "\(messageByteCountMax)")
        }
    }

    /// Returns the effect that sends a verdict. A verdict that is too long becomes a failure of its
    /// node.
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
