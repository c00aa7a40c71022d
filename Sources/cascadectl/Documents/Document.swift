// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON

/// A result of a command in two formats: JSON for programs, text for people.
protocol Document: Sendable {
    var json: JSONValue { get }

    /// Returns the text, without a line feed at the end.
    func text(_ style: Style) -> String

    /// The exit status of a command that ends with this document.
    var status: ExitStatus { get }
}

extension Document {
    var status: ExitStatus {
        .done
    }
}

// MARK: - Answers of the bus

/// A document of the bus that has a text for people.
protocol TextDocument: InspectionDocument {
    /// Returns the text, without a line feed at the end.
    func text(_ style: Style) -> String

    /// The exit status of a command that ends with this document.
    var status: ExitStatus { get }
}

extension TextDocument {
    var status: ExitStatus {
        .done
    }
}

/// A document of the bus. Its JSON is that of the bus, with members that this release does not know.
struct ShownDocument<Content: TextDocument>: Document {
    private let received: ReceivedDocument<Content>

    init(_ received: ReceivedDocument<Content>) {
        self.received = received
    }

    /// Creates a document of this process.
    init(_ content: Content) {
        received = ReceivedDocument(content)
    }

    /// Reads the document in an answer. Throws `WireError` or `InspectionError` if it is another.
    init(_ message: [UInt8]) throws {
        received = try ReceivedDocument(parsing: message)
    }

    var content: Content {
        received.content
    }

    var json: JSONValue {
        received.json
    }

    var status: ExitStatus {
        content.status
    }

    func text(_ style: Style) -> String {
        content.text(style)
    }
}

extension InspectionDocument {
    /// Reads the document in an answer. Throws `WireError` or `InspectionError` if it is another.
    init(answer message: [UInt8]) throws {
        self = try ReceivedDocument<Self>(parsing: message).content
    }
}

extension JSONValue {
    /// A string without its quotes; other values as JSON.
    var plainText: String {
        string ?? text
    }

    /// Returns the members of an object except those with the given keys.
    func without(_ keys: Set<String>) -> [Member] {
        members.filter { !keys.contains($0.key) }
    }
}
