// SPDX-License-Identifier: Apache-2.0

/// A request was refused and nothing was changed; the session goes on.
package struct Refused: WireMessage {
    package static let command = Command.refused

    /// The request's number; 0 if a trigger or publication was refused.
    package var request: UInt64
    /// The number of the event or publication that was refused; 0 if a request was.
    package var sequence: UInt64
    package var code: ErrorCode
    package var sentence: String

    package init(request: UInt64 = 0, sequence: UInt64 = 0, code: ErrorCode, sentence: String) {
        self.request = request
        self.sequence = sequence
        self.code = code
        self.sentence = sentence
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        self.init(
            request: header.id, sequence: header.sequence,
            code: ErrorCode(rawValue: header.code) ?? .malformed,
            sentence: try fields.sentence())
    }

    package var header: Header {
        Header(.refused, id: request, sequence: sequence, code: code.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.sentence, sentence)
    }
}

extension FieldReader {
    /// The sentence among the fields; empty if there is none.
    func sentence() throws(WireError) -> String {
        var fields = self
        while let field = try fields.next() {
            if field.tag == .sentence {
                return try field.text()
            }
        }
        return ""
    }
}
