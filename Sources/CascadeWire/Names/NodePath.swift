// SPDX-License-Identifier: Apache-2.0

/// The address of a place in the tree: `/` or `/component/component…`, valid by construction.
public struct NodePath: Hashable, Sendable, CustomStringConvertible {
    /// The default limit of a path's depth, in components.
    package static let depthMax = 1024

    /// The longest path of any bus, in bytes: the largest length of a text within a field.
    package static let byteCountMax = 65_535

    /// The bus itself.
    public static let root = NodePath(unchecked: "/")

    /// The path as text.
    public let description: String

    private init(unchecked: String) {
        description = unchecked
    }

    /// Throws ``NameError``, which quotes `text`, unless `text` is `/` or one or more valid components,
    /// each after a `/`.
    package init(_ text: String) throws(NameError) {
        description = text
        guard !Self.isValid(text) else {
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw NameError("the path '\(text.escapedForDisplay())' does not begin with /")
        }
        try checkLength()
        for component in components {
            try NameRule.check(
                component, as: "a component of the path '\(text.escapedForDisplay())'")
        }
    }

    package init(_ text: some StringProtocol) throws(NameError) {
        try self.init(String(text))
    }

    /// Whether the text is a path. It takes one pass without allocation, because a message may contain
    /// megabytes of paths.
    private static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.first == UInt8(ascii: "/"), bytes.count <= byteCountMax else {
                return false
            }
            var count = 0
            for byte in bytes.dropFirst() {
                if byte == UInt8(ascii: "/") {
                    guard count > 0 else {
                        return false
                    }
                    count = 0
                } else {
                    guard count < NameRule.byteCountMax, NameRule.allows(byte, isFirst: count == 0)
                    else {
                        return false
                    }
                    count += 1
                }
            }
            return count > 0 || bytes.count == 1
        }
    }

    /// Creates the path of `components`. The caller guarantees that each is valid.
    package init(joining components: some Sequence<String>) {
        let joined = components.reduce(into: "") { $0 += "/" + $1 }
        self.init(unchecked: joined.isEmpty ? "/" : joined)
    }

    /// The components from the root down; none for the root.
    ///
    /// The path is split at bytes, because a slash and a combining character after it form a single
    /// `Character` that differs from a slash.
    package var components: [Substring] {
        guard !isRoot else {
            return []
        }
        return description.utf8.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map(Substring.init)
    }

    /// The number of bytes of the path as text.
    package var byteCount: Int {
        description.utf8.count
    }

    /// Whether this path is the bus itself.
    public var isRoot: Bool {
        description.utf8.count == 1
    }

    /// The number of components; 0 for the root.
    public var depth: Int {
        isRoot ? 0 : description.utf8.count { $0 == UInt8(ascii: "/") }
    }

    /// Whether the path names a place of another bus, which is not below this one: its first component
    /// ends in `:`.
    package var isForeign: Bool {
        var text = description
        return text.withUTF8 { bytes in
            let end = bytes.dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
            return bytes[end - 1] == UInt8(ascii: ":")
        }
    }

    /// The last component; `/` for the root.
    public var name: String {
        components.last.map(String.init) ?? description
    }

    /// The path without its last component; `nil` for the root.
    public var parent: NodePath? {
        guard !isRoot, let slash = description.lastIndex(of: "/") else {
            return nil
        }
        return slash == description.startIndex
            ? .root : NodePath(unchecked: String(description[..<slash]))
    }

    /// Returns the path with another component. Throws ``NameError`` if the component is not valid.
    package func appending(_ component: some StringProtocol) throws(NameError) -> NodePath {
        try NameRule.check(component, as: "the path component")
        let path = NodePath(unchecked: isRoot ? "/\(component)" : "\(description)/\(component)")
        try path.checkLength()
        return path
    }

    /// Returns the place that `path` names from this place. Throws ``NameError`` if its path is too long.
    package func appending(_ path: NodePath) throws(NameError) -> NodePath {
        guard !isRoot, !path.isRoot else {
            return isRoot ? path : self
        }
        let place = NodePath(unchecked: description + path.description)
        try place.checkLength()
        return place
    }

    /// Whether `other` is this path or lies below it.
    public func contains(_ other: NodePath) -> Bool {
        isRoot || other == self || other.description.hasPrefix(description + "/")
    }

    private func checkLength() throws(NameError) {
        guard description.utf8.count <= Self.byteCountMax else {
            throw NameError(
                "the path '\(description.escapedForDisplay())' has "
                    + "\(description.utf8.count) bytes, more than \(Self.byteCountMax)")
        }
    }
}

extension NodePath: ExpressibleByStringLiteral {
    /// Creates a path from a literal of the program. An invalid literal stops the program.
    public init(stringLiteral text: String) {
        do {
            try self.init(text)
        } catch {
            preconditionFailure(error.description)
        }
    }
}

extension NodePath {
    /// Reads a path from a message. Throws ``WireError`` with the code ``ErrorCode/badPath``.
    package init(decoding text: String) throws(WireError) {
        do {
            try self.init(text)
        } catch {
            throw WireError(.badPath, error.description)
        }
    }
}
