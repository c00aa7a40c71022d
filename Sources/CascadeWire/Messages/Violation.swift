// SPDX-License-Identifier: Apache-2.0

/// The peer broke the protocol: one code, one sentence, and its session is over.
package struct Violation: WireMessage, Error {
    package static let command = Command.violation

    package var code: ErrorCode
    package var sentence: String

    package init(_ code: ErrorCode, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        self.init(
            ErrorCode(rawValue: header.code) ?? .malformed, try fields.sentence())
    }

    package var header: Header {
        Header(.violation, code: code.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.sentence, sentence)
    }
}
