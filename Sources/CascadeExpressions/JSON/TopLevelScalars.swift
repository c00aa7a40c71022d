// SPDX-License-Identifier: Apache-2.0

/// The scalar members at the top level of a JSON object, for use in predicates.
///
/// Of several members with one name the last one counts, even if it is not a scalar and so hides
/// the others. Members whose names predicates cannot contain, and numbers outside the range of
/// `Double`, are left out. Other contents are skipped at any depth, but the whole payload must be
/// valid JSON; otherwise there are no members.
package struct TopLevelScalars: Equatable, Sendable {
    // Names in predicates are ASCII, so equal strings have equal bytes.
    private var scalars: [String: Scalar] = [:]

    /// Reads the members of `payload`: none if it is not an object, or not JSON.
    package init(_ payload: UnsafeRawBufferPointer) {
        var cursor = JSONCursor(payload)
        do {
            try read(&cursor)
        } catch {
            scalars = [:]
        }
    }

    package init(_ payload: some Collection<UInt8>) {
        let scalars = payload.withContiguousStorageIfAvailable { bytes in
            Self(UnsafeRawBufferPointer(bytes))
        }
        self = scalars ?? Array(payload).withUnsafeBytes { Self($0) }
    }

    package subscript(name: String) -> Scalar? {
        scalars[name]
    }

    package var count: Int {
        scalars.count
    }

    private mutating func read(_ cursor: inout JSONCursor) throws(JSONFault) {
        cursor.skipSpace()
        try cursor.expect("{", "an object")
        cursor.skipSpace()
        if !cursor.take("}") {
            repeat {
                try readMember(&cursor)
            } while cursor.take(",")
            try cursor.expect("}", "',' or '}'")
        }
        cursor.skipSpace()
        guard cursor.next == nil else {
            throw JSONFault("expected the end", at: cursor.place)
        }
    }

    private mutating func readMember(_ cursor: inout JSONCursor) throws(JSONFault) {
        cursor.skipSpace()
        let name = try cursor.string()
        cursor.skipSpace()
        try cursor.expect(":", "':'")
        cursor.skipSpace()
        var scalar: Scalar?
        if cursor.next == UInt8(ascii: "{") || cursor.next == UInt8(ascii: "[") {
            try cursor.skipValue()
        } else {
            scalar = try cursor.scalar()
        }
        if Tokenizer.isName(name) {
            scalars[name] = scalar
        }
        cursor.skipSpace()
    }
}
