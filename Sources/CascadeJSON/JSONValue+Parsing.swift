// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// The depth up to which values are read unless the caller has a limit of its own. Writing and
    /// freeing a value takes stack for each level.
    package static let depthMax = 512

    /// Reads one whole document. `depthMax` is the largest number of objects and arrays within each
    /// other.
    package init(
        parsing bytes: UnsafeRawBufferPointer, depthMax: Int = depthMax
    ) throws(JSONError) {
        var cursor = JSONCursor(bytes)
        self = try cursor.takeValue(depthMax: depthMax)
        try cursor.expectEnd()
    }

    package init(
        parsing bytes: some Collection<UInt8>, depthMax: Int = depthMax
    ) throws(JSONError) {
        self = try bytes.withRawBytes { bytes in
            Result { () throws(JSONError) in try Self(parsing: bytes, depthMax: depthMax) }
        }.get()
    }

    /// Reads one whole document from a text. Throws ``JSONError`` if the text is not JSON or is
    /// deeper than `depthMax`.
    package init(parsing text: String, depthMax: Int = depthMax) throws(JSONError) {
        try self.init(parsing: text.utf8, depthMax: depthMax)
    }
}

extension JSONCursor {
    /// Takes a value of at most `depthMax` levels.
    package mutating func takeValue(depthMax: Int) throws(JSONError) -> JSONValue {
        try takeValue(depth: 0, depthMax)
    }

    private mutating func takeValue(depth: Int, _ depthMax: Int) throws(JSONError) -> JSONValue {
        guard isAtContainer() else {
            return try takeScalar()
        }
        guard depth < depthMax else {
            var error = JSONError("nested more than \(depthMax) levels deep", at: place)
            error.isTooDeep = true
            throw error
        }
        if next == UInt8(ascii: "{") {
            var members: [JSONValue.Member] = []
            try takeObject { cursor, name throws(JSONError) in
                let value = try cursor.takeValue(depth: depth + 1, depthMax)
                members.append(JSONValue.Member(key: name, value: value))
            }
            return .object(members)
        }
        var elements: [JSONValue] = []
        try takeArray { cursor throws(JSONError) in
            elements.append(try cursor.takeValue(depth: depth + 1, depthMax))
        }
        return .array(elements)
    }
}

extension Collection<UInt8> {
    /// Calls `body` with the bytes in one piece; they are copied only if they are in several.
    package func withRawBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let result = withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        return result ?? Array(self).withUnsafeBytes(body)
    }
}
