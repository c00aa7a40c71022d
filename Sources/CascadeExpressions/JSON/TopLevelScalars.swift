// SPDX-License-Identifier: Apache-2.0

/// The scalar members at the top level of a JSON object, for predicates to read.
///
/// Of members of one name the last one counts, also if it is no scalar and so hides the others. A
/// member that no predicate can name is left out, and so is a number that no `Double` can hold.
/// Whatever else is in the object is skipped, however deep; but all of it has to be JSON, or there
/// are no members at all.
package struct TopLevelScalars: Equatable, Sendable {
    // Names that predicates can hold are ASCII, so that equal strings have equal bytes.
    private var scalars: [String: Scalar] = [:]

    /// Reads the members of `payload`: none if it is no object, or no JSON.
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
