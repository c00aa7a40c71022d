// SPDX-License-Identifier: Apache-2.0

package import CascadeJSON
package import CascadeWire

/// A query about the bus, whose answer is a document.
///
/// `BusControl` of the library sends it and returns the answer once, or again after each change.
public struct InspectionQuery<Document: InspectionDocument>: Sendable {
    /// The query as the protocol expresses it.
    package let subject: Query.Subject
    private let read: @Sendable ([UInt8], AnswerContext) throws -> ReceivedDocument<Document>

    init(
        _ subject: Query.Subject,
        _ read: @escaping @Sendable ([UInt8], AnswerContext) throws -> Document
    ) {
        self.subject = subject
        self.read = { message, context in ReceivedDocument(try read(message, context)) }
    }

    /// Creates a query whose answer is a JSON document.
    init(_ subject: Query.Subject) {
        self.subject = subject
        read = { message, _ in try ReceivedDocument(parsing: message) }
    }

    /// Reads the document in the message of an answer. Throws `WireError` or ``InspectionError``.
    package func document(
        in message: [UInt8], _ context: AnswerContext
    ) throws -> ReceivedDocument<Document> {
        try read(message, context)
    }
}

/// The parts of a document that the bus's message does not contain.
package struct AnswerContext: Sendable {
    /// The name of the bus.
    package let bus: String
    /// The time of the answer.
    package let now: Timestamp
    package let machine: MachineLookup

    package init(bus: String, now: Timestamp, _ machine: MachineLookup) {
        self.bus = bus
        self.now = now
        self.machine = machine
    }
}

/// The lookup of users and processes on the machine that reads the bus's answers.
package struct MachineLookup: Sendable {
    /// Returns the name of a user; `nil` if it is unknown.
    let userName: @Sendable (UInt32) -> String?
    /// Returns the resident memory of a process in bytes; `nil` if there is no such process.
    let residentByteCount: @Sendable (UInt32) -> UInt64?

    package init(
        userName: @escaping @Sendable (UInt32) -> String?,
        residentByteCount: @escaping @Sendable (UInt32) -> UInt64?
    ) {
        self.userName = userName
        self.residentByteCount = residentByteCount
    }
}

extension AnswerContext {
    /// Returns the node with the user's name and the process's memory, as far as they are known.
    package func node(_ node: NodeSnapshot) -> InspectedNode {
        InspectedNode(
            node, now: now, user: node.holder.flatMap { machine.userName($0.userID) },
            residentBytes: node.holder.flatMap { machine.residentByteCount($0.processID) })
    }
}

/// A document together with its JSON as received, which may have members that this release does not
/// know.
package struct ReceivedDocument<Content: InspectionDocument>: Sendable {
    package let json: JSONValue
    package let content: Content

    /// Creates the document of this process.
    package init(_ content: Content) {
        json = content.json
        self.content = content
    }

    /// Reads a document. Throws ``InspectionError``.
    package init(json: JSONValue) throws(InspectionError) {
        self.json = json
        content = try Content(json: json)
    }

    /// Reads the document in the message of an answer. Throws `WireError` or ``InspectionError``.
    package init(parsing message: [UInt8]) throws {
        let text = try DocumentAnswer(parsing: message).document
        do throws(JSONError) {
            json = try JSONValue(parsing: text)
        } catch {
            throw InspectionError(
                schema: Content.schemaName, member: "", problem: "it is not JSON: \(error)")
        }
        content = try Content(json: json)
    }
}

// MARK: - Parts of documents

extension Decodable {
    /// Reads a part of a document. Throws ``InspectionError``, which names the document.
    package init<Document: InspectionDocument>(
        json: JSONValue, in document: Document.Type
    ) throws(InspectionError) {
        do {
            self = try json.decoded()
        } catch {
            throw InspectionError(error, in: Document.schemaName)
        }
    }
}
