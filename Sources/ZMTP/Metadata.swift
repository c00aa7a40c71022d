// SPDX-License-Identifier: Apache-2.0

/// One property of the metadata that READY carries (RFC 37, *Connection Metadata*).
package struct Property: Equatable, Sendable {
    /// 1 to 255 letters, digits, `-`, `_`, `.` and `+`. Case has no meaning. Names of applications
    /// begin with `X-`.
    package let name: String

    package let value: [UInt8]

    package init(name: String, value: [UInt8]) {
        precondition(
            (1...255).contains(name.utf8.count) && name.utf8.allSatisfy(Self.isNameByte),
            "The name of a property has 1 to 255 letters, digits, '-', '_', '.' and '+'")
        self.name = name
        self.value = value
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-_.+".utf8.contains(byte)
    }

    /// The bytes of the property in READY.
    var encoded: [UInt8] {
        let size = withUnsafeBytes(of: UInt32(value.count).bigEndian) { Array($0) }
        return [UInt8(name.utf8.count)] + Array(name.utf8) + size + value
    }
}

/// The properties of a peer according to its greeting and READY.
package struct Peer: Equatable, Sendable {
    package let version: ProtocolVersion

    /// `nil` if the peer did not say; the RFC allows that.
    package fileprivate(set) var socketType: SocketType?

    /// The identity by which the peer asks to be addressed: 0 to 255 bytes. The engine gives it no
    /// meaning. The RFC reserves a first byte 0, and libzmq lets applications send one.
    package fileprivate(set) var identity: [UInt8] = []

    /// The properties other than Socket-Type and Identity.
    package fileprivate(set) var properties: [Property] = []

    init(version: ProtocolVersion) {
        self.version = version
    }

    mutating func dropMetadata() {
        identity = []
        properties = []
    }

    /// The value of a property other than Socket-Type and Identity.
    package func value(of name: String) -> [UInt8]? {
        properties.first { property in
            property.name.utf8.elementsEqual(name.utf8) {
                $0.lowercasedASCII == $1.lowercasedASCII
            }
        }?.value
    }
}

/// Reads the metadata of READY.
///
///     metadata = *property
///     property = name value
///     name = short-size 1*255name-char
///     value = 4OCTET *OCTET
struct MetadataReader: ~Copyable {
    static let socketType = "Socket-Type"
    static let identity = "Identity"

    private let ownSocketType: SocketType
    private let propertyCountMax: Int
    private var peer: Peer
    private var propertyCount = 0
    private var hasSocketType = false
    private var hasIdentity = false

    init(version: ProtocolVersion, ownSocketType: SocketType, propertyCountMax: Int) {
        peer = Peer(version: version)
        self.ownSocketType = ownSocketType
        self.propertyCountMax = propertyCountMax
    }

    /// Returns the peer that the metadata in `range` describe.
    consuming func read(_ bytes: RawSpan, in range: Range<Int>) throws(Fault) -> Peer {
        var next = range.lowerBound
        while next < range.upperBound {
            propertyCount += 1
            guard propertyCount <= propertyCountMax else {
                throw Fault(.tooManyProperties(limit: propertyCountMax), at: next)
            }
            try readProperty(bytes, at: &next, end: range.upperBound)
        }
        return peer
    }

    private mutating func readProperty(
        _ bytes: RawSpan, at next: inout Int, end: Int
    ) throws(Fault) {
        let start = next
        let name = start + 1..<start + 1 + Int(bytes.byte(at: start))
        guard !name.isEmpty else {
            throw Fault(.malformedMetadata("a name is empty"), at: start)
        }
        let sizeByteCount = 4
        guard name.upperBound + sizeByteCount <= end else {
            throw Fault(.malformedMetadata("a property is incomplete"), at: start)
        }
        if let bad = name.first(where: { !Property.isNameByte(bytes.byte(at: $0)) }) {
            throw Fault(.malformedMetadata("a name contains an invalid byte"), at: bad)
        }
        let valueStart = name.upperBound + sizeByteCount
        let valueByteCount = Int(bytes.integer(at: name.upperBound, as: UInt32.self))
        guard valueByteCount <= end - valueStart else {
            throw Fault(.malformedMetadata("a value exceeds the command"), at: name.upperBound)
        }
        next = valueStart + valueByteCount
        try add(bytes, name: name, value: valueStart..<next)
    }

    private mutating func add(
        _ bytes: RawSpan, name: Range<Int>, value: Range<Int>
    ) throws(Fault) {
        if bytes.isEqualIgnoringCase(to: Self.socketType, in: name) {
            try Self.checkIsFirst(&hasSocketType, at: name.lowerBound)
            let text = bytes.textForDisplay(value)
            guard let type = SocketType(rawValue: text), ownSocketType.accepts(type) else {
                throw Fault(.incompatibleSocketType(text), at: value.lowerBound)
            }
            peer.socketType = type
        } else if bytes.isEqualIgnoringCase(to: Self.identity, in: name) {
            try Self.checkIsFirst(&hasIdentity, at: name.lowerBound)
            guard value.count <= 255 else {
                throw Fault(.badIdentity, at: value.lowerBound)
            }
            peer.identity = bytes.array(value)
        } else {
            let name = String(decoding: bytes.array(name), as: UTF8.self)
            peer.properties.append(Property(name: name, value: bytes.array(value)))
        }
    }

    /// Refuses a second value, of which implementations would choose different ones.
    private static func checkIsFirst(_ isPresent: inout Bool, at index: Int) throws(Fault) {
        guard !isPresent else {
            throw Fault(.malformedMetadata("a property occurs twice"), at: index)
        }
        isPresent = true
    }
}
