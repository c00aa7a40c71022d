// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// The scalar members at the top level of a JSON object, for predicates to read.
///
/// The last of several members with one name counts, even if it is not a scalar and so hides the
/// others. It omits members with a name that a predicate cannot contain, numbers outside the range of
/// `Double`, and strings of more than ``stringByteCountMax`` bytes. It skips arrays and objects of any
/// depth. It is empty for invalid JSON, and for an object with more than ``countMax`` readable members.
package struct TopLevelScalars: Equatable, Sendable {
    /// The maximum length of a string that predicates read, in bytes: that of a predicate.
    package static let stringByteCountMax = Predicate.byteCountMax

    /// The maximum number of members that predicates read.
    package static let countMax = 1024

    // Names in predicates are ASCII, so equal strings have equal bytes.
    private var scalars: [String: Scalar] = [:]

    /// Reads the members of `payload`. Any other payload than a JSON object has none.
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
        try cursor.readObject { cursor, name throws(JSONError) in
            var scalar: Scalar?
            if cursor.isAtContainer() {
                try cursor.skipValue()
            } else {
                scalar = Scalar(try cursor.readScalar())
                if let read = scalar, read.byteCount > Self.stringByteCountMax {
                    scalar = nil
                }
            }
            if Tokenizer.isName(name) {
                scalars[name] = scalar
            }
            guard scalars.count <= Self.countMax else {
                throw JSONError("too many members", at: cursor.offset)
            }
        }
        try cursor.expectEnd()
    }
}
