// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// The child's request for a link, a JSON document.
package struct OpenRequest: Equatable, Sendable {
    /// The version of the link that this code implements.
    package static let version = "site/1"
    /// The largest document that either side reads, in bytes.
    package static let byteCountMax = 4_096
    /// The longest text of a document, in bytes.
    package static let textByteCountMax = 512
    /// What follows the instance of a machine in the request of a check on it. A gate takes it for another
    /// machine's, so that a check does not end the link of its own.
    package static let checkSuffix = "-check"

    package var version: String
    package var link: LinkID
    /// A hash of the identity of the child's machine and its boot. Two links of one instance belong to
    /// the same site; those of two instances to two machines with one name.
    package var instance: String
    /// The name of the machine, for people.
    package var host: String
    /// The program and its release, for people.
    package var program: String

    package init(
        version: String = version, link: LinkID, instance: String, host: String, program: String
    ) {
        self.version = version
        self.link = link
        self.instance = instance
        self.host = host
        self.program = program
    }

    /// Whether the request is that of a check on the machine of an instance.
    func isCheck(of other: String?) -> Bool {
        other.map { $0 + Self.checkSuffix } == instance
    }

    /// Throws ``OpenDocumentError`` if the bytes are not a request. The version is not checked, so that
    /// a request of another version can be refused by name.
    package init(parsing bytes: some Collection<UInt8>) throws(OpenDocumentError) {
        let json = try JSONValue(parsingDocument: bytes)
        self.init(
            version: try json.text("cascade"), link: try json.link(),
            instance: try json.text("instance"), host: try json.text("host"),
            program: try json.text("program"))
    }

    package var encoded: [UInt8] {
        let json = JSONValue.members([
            "cascade": .string(version), "link": .text(link), "instance": .string(instance),
            "host": .string(host), "program": .string(program),
        ])
        return Array(json.text.utf8)
    }
}

/// The gate's answer to an ``OpenRequest``, a JSON document.
package enum OpenAnswer: Equatable, Sendable {
    case accepted(LinkID, OpenTerms)
    case refused(LinkID, OpenRefusal)

    /// The link that the request named.
    package var link: LinkID {
        switch self {
        case .accepted(let link, _), .refused(let link, _): link
        }
    }

    package init(parsing bytes: some Collection<UInt8>) throws(OpenDocumentError) {
        let json = try JSONValue(parsingDocument: bytes)
        let link = try json.link()
        guard json["error"] == nil else {
            let refusal = OpenRefusal(
                code: OpenRefusal.Code(rawValue: try json.text("error")) ?? .other,
                message: try json.text("message"), holder: json["holder"]?.string)
            self = .refused(link, refusal)
            return
        }
        let terms = OpenTerms(
            bus: try json.text("bus"), mount: try json.text("mount"),
            maximum: try json.size("maximum", LinkSettings.maximumRange),
            window: try json.size("window", LinkSettings.acceptedWindowRange))
        self = .accepted(link, terms)
    }

    package var encoded: [UInt8] {
        let json: JSONValue =
            switch self {
            case .accepted(let link, let terms):
                .members([
                    "link": .text(link), "bus": .string(terms.bus), "mount": .string(terms.mount),
                    "maximum": .integer(terms.maximum), "window": .integer(terms.window),
                ])
            case .refused(let link, let refusal):
                .members([
                    "link": .text(link), "error": .string(refusal.code.rawValue),
                    "message": .string(refusal.message),
                    "holder": refusal.holder.map { .string($0) },
                ])
            }
        return Array(json.text.utf8)
    }
}

/// What the gate grants to a link.
package struct OpenTerms: Equatable, Sendable {
    /// The name of the parent's bus, for people.
    package var bus: String
    /// The place of the parent's bus that the child may hold, as text: its session checks it.
    package var mount: String
    /// The largest frame, in bytes.
    package var maximum: Int
    /// The unacknowledged bytes that each side may send.
    package var window: Int

    package init(bus: String, mount: String, maximum: Int, window: Int) {
        self.bus = bus
        self.mount = mount
        self.maximum = maximum
        self.window = window
    }
}

/// Why the gate refuses a link.
package struct OpenRefusal: Error, Equatable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        /// The gate's configuration does not contain the child.
        case unknownSite
        /// The name belongs to another machine, to the parent, or to a site above it.
        case nameTaken
        /// The child has too many links, or opens them too often.
        case tooMany
        /// The two sides have no version of the link in common.
        case versionMismatch
        /// A code of a later release.
        case other
    }

    package var code: Code
    /// The reason as a sentence for a person. The text is the peer's and may be hostile.
    package var message: String
    /// The instance whose link has the name; `nil` if no link has it, or for any other reason.
    package var holder: String?

    package init(code: Code, message: String, holder: String? = nil) {
        self.code = code
        self.message = message
        self.holder = holder
    }
}

/// The reason why bytes are not a document of the opening.
package struct OpenDocumentError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

// MARK: - Members

extension JSONValue {
    fileprivate init(parsingDocument bytes: some Collection<UInt8>) throws(OpenDocumentError) {
        guard bytes.count <= OpenRequest.byteCountMax else {
            throw OpenDocumentError(description: "the document has \(bytes.count) bytes")
        }
        do throws(JSONError) {
            try self.init(parsing: bytes, depthMax: 16)
        } catch {
            throw OpenDocumentError(description: error.description)
        }
    }

    fileprivate func text(_ key: String) throws(OpenDocumentError) -> String {
        guard let text = self[key]?.string, text.utf8.count <= OpenRequest.textByteCountMax else {
            throw OpenDocumentError(
                description:
                    "'\(key)' is not a text of at most \(OpenRequest.textByteCountMax) bytes")
        }
        return text
    }

    fileprivate func link() throws(OpenDocumentError) -> LinkID {
        guard let link = self["link"]?.string.flatMap({ LinkID($0) }) else {
            throw OpenDocumentError(description: "'link' is not a number of 16 hexadecimal digits")
        }
        return link
    }

    fileprivate func size(
        _ key: String, _ range: ClosedRange<Int>
    ) throws(OpenDocumentError) -> Int {
        guard let size = self[key]?.integer(Int.self), range.contains(size) else {
            throw OpenDocumentError(
                description:
                    "'\(key)' is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return size
    }
}
