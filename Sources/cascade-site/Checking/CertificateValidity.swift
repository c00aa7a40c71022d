// SPDX-License-Identifier: Apache-2.0

import CSodium
import CascadeWire

/// The time in which a certificate is valid, as the certificate says (RFC 5280, 4.1.2.5).
struct CertificateValidity: Equatable {
    let notBefore: Timestamp
    let notAfter: Timestamp

    init(notBefore: Timestamp, notAfter: Timestamp) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    func contains(_ time: Timestamp) -> Bool {
        notBefore <= time && time <= notAfter
    }

    // MARK: - Reading

    private static let firstLine = "-----BEGIN CERTIFICATE-----"
    private static let lastLine = "-----END CERTIFICATE-----"

    /// Returns the validities of the certificates in a PEM text, in their order. Whatever is not a
    /// certificate is skipped: the TLS library judges the file.
    static func all(inPEM text: String) -> [CertificateValidity] {
        var validities: [CertificateValidity] = []
        var content: String?
        for line in text.split(whereSeparator: \.isNewline) {
            if line == firstLine {
                content = ""
            } else if line == lastLine {
                let der = content.flatMap { bytes(base64: $0) }
                if let validity = der.flatMap({ CertificateValidity(der: $0) }) {
                    validities.append(validity)
                }
                content = nil
            } else {
                content?.append(contentsOf: line)
            }
        }
        return validities
    }

    /// Reads a certificate in DER; `nil` for any other bytes.
    private init?(der: [UInt8]) {
        // Certificate, and TBSCertificate in it.
        guard var certificate = DERElements(der[...]).first(tagged: DERElements.sequence),
            var body = certificate.next(tagged: DERElements.sequence)
        else {
            return nil
        }
        // The version, which may be absent, the serial number, the algorithm and the issuer.
        if body.nextTag == DERElements.version {
            _ = body.next()
        }
        for _ in 0..<3 {
            guard body.next() != nil else {
                return nil
            }
        }
        guard var validity = body.next(tagged: DERElements.sequence),
            let notBefore = validity.next().flatMap(Self.time),
            let notAfter = validity.next().flatMap(Self.time)
        else {
            return nil
        }
        self.init(notBefore: notBefore, notAfter: notAfter)
    }

    /// Reads `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`.
    private static func time(_ element: DERElements.Element) -> Timestamp? {
        var text = String(decoding: element.content, as: UTF8.self)
        if element.tag == DERElements.utcTime {
            // Two digits of a year are those of 1950 to 2049.
            text = (text < "5" ? "20" : "19") + text
        } else if element.tag != DERElements.generalizedTime {
            return nil
        }
        let digits = Array(text)
        guard digits.count == 15, digits[14] == "Z" else {
            return nil
        }
        let part = { (range: Range<Int>) in String(digits[range]) }
        return Timestamp(
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T"
                + "\(part(8..<10)):\(part(10..<12)):\(part(12..<14)).000000Z")
    }

    private static func bytes(base64 text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: text.utf8.count)
        var count = 0
        let status = sodium_base642bin(
            &bytes, bytes.count, text, text.utf8.count, " \t", &count, nil,
            sodium_base64_VARIANT_ORIGINAL)
        return status == 0 ? Array(bytes.prefix(count)) : nil
    }
}

/// The elements of a DER encoding (X.690), one after the other.
private struct DERElements {
    struct Element {
        var tag: UInt8
        var content: ArraySlice<UInt8>
    }

    static let sequence: UInt8 = 0x30
    static let version: UInt8 = 0xA0
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var nextTag: UInt8? {
        rest.first
    }

    /// Returns the elements within the first element, which must have a tag.
    func first(tagged tag: UInt8) -> DERElements? {
        var copy = self
        return copy.next(tagged: tag)
    }

    /// Removes the next element, and returns the elements within it; `nil` if it has another tag.
    mutating func next(tagged tag: UInt8) -> DERElements? {
        next().flatMap { $0.tag == tag ? DERElements($0.content) : nil }
    }

    /// Removes and returns the next element; `nil` if there is none, or if it is not complete.
    mutating func next() -> Element? {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else {
            return nil
        }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard count <= 4, rest.count >= count else {
                return nil
            }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else {
            return nil
        }
        defer { rest = rest.dropFirst(length) }
        return Element(tag: tag, content: rest.prefix(length))
    }
}
