// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

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
        self = payload.withRawBytes { Self($0) }
    }

    package subscript(name: String) -> Scalar? {
        scalars[name]
    }

    package var count: Int {
        scalars.count
    }

    private mutating func read(_ cursor: inout JSONCursor) throws(JSONError) {
        try cursor.takeObject { cursor, name throws(JSONError) in
            var scalar: Scalar?
            if cursor.isAtContainer() {
                try cursor.skipValue()
            } else {
                scalar = Scalar(try cursor.takeScalar())
            }
            if Tokenizer.isName(name) {
                scalars[name] = scalar
            }
        }
        try cursor.expectEnd()
    }
}
