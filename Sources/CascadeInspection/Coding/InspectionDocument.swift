// SPDX-License-Identifier: Apache-2.0

@_exported public import CascadeJSON

/// An answer of the bus about itself, with the members that `cascadectl --json` prints.
///
/// Any coder reads and writes a document. ``jsonText`` writes the members in the order in which they
/// are declared; `JSONEncoder` of Foundation does not keep that order.
public protocol InspectionDocument: Codable, Hashable, Sendable {
    /// The value of the member `schema`: `cascade/v1/tree`.
    static var schemaName: String { get }
}

extension InspectionDocument {
    /// Reads a document from JSON. Ignores members that are unknown to this release.
    ///
    /// Throws ``InspectionError`` if the text is not JSON, or if a member is missing or of another
    /// form.
    public init(jsonText text: String) throws(InspectionError) {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: text)
        } catch {
            throw InspectionError(
                schema: Self.schemaName, member: "", problem: "it is not JSON: \(error)")
        }
        try self.init(json: json)
    }

    /// Reads a document from JSON. Ignores members that are unknown to this release.
    ///
    /// Throws ``InspectionError`` if a member is missing or of another form.
    public init(json: JSONValue) throws(InspectionError) {
        do {
            self = try json.decoded()
        } catch {
            throw InspectionError(error, in: Self.schemaName)
        }
    }

    /// The document as JSON, its members in the order in which they are declared. Members without a
    /// value are left out.
    public var json: JSONValue {
        // Documents have neither infinite numbers nor encoders that throw.
        (try? JSONValue(encoding: self)) ?? .null
    }

    /// The document on one line, as `cascadectl --json` prints it.
    public var jsonText: String {
        json.text
    }
}

// MARK: - Schema

/// The member `schema` of a document, which names the document's form.
///
/// Decoding throws if the JSON names another schema.
public struct DocumentSchema<Document: InspectionDocument>: Codable, Hashable, Sendable {
    public init() {}

    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard name == Document.schemaName else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "expected '\(Document.schemaName)', found '\(name)'"))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Document.schemaName)
    }
}

// MARK: - Errors

/// The reason why JSON is not the expected document: the member that differs, and what was expected.
public struct InspectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The schema of the expected document.
    public let schema: String

    /// The member, such as `nodes[2].pid`; empty for the document as a whole.
    public let member: String

    /// The difference, such as `expected a string, found null`.
    public let problem: String

    public var description: String {
        let place = member.isEmpty ? "" : " at '\(member)'"
        return "the JSON is not a document '\(schema)'\(place): \(problem)"
    }
}

extension InspectionError {
    init(_ error: any Error, in schema: String) {
        let difference = (error as? DecodingError)?.difference
        self.init(
            schema: schema, member: difference?.path.text() ?? "",
            problem: difference?.text ?? "\(error)")
    }
}
