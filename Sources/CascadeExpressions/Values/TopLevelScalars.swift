// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// The scalar members at the top level of a JSON object, for predicates to read.
///
/// Of members of one name the last one counts, also if it is no scalar and so hides the others. A
/// member that no predicate can name is left out, and so are a number that no `Double` can hold and
/// a string of more than ``stringByteCountMax`` bytes. Whatever else is in the object is skipped,
/// however deep; but all of it has to be JSON, with at most ``countMax`` members that count, or
/// there are no members at all.
package struct TopLevelScalars: Equatable, Sendable {
    /// Bytes of the longest string that predicates read: as many as a predicate may have.
    package static let stringByteCountMax = Predicate.byteCountMax

    /// The most members that predicates read.
    package static let countMax = 1024

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
                if let read = scalar, read.byteCount > Self.stringByteCountMax {
                    scalar = nil
                }
            }
            if Tokenizer.isName(name) {
                scalars[name] = scalar
            }
            guard scalars.count <= Self.countMax else {
                throw JSONError("more members than predicates read", at: cursor.place)
            }
        }
        try cursor.expectEnd()
    }
}
