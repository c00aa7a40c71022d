// SPDX-License-Identifier: Apache-2.0

/// What was asked about, as a JSON document for people and scripts.
package struct DocumentAnswer: WireMessage {
    package static let command = Command.answer

    package var request: UInt64
    package var document: String

    package init(request: UInt64, document: String) {
        self.request = request
        self.document = document
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, document: "")
        while let field = try fields.next() {
            if field.tag == .document {
                document = try field.text()
            }
        }
    }

    package var header: Header {
        Header(.answer, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.document, document)
    }
}
