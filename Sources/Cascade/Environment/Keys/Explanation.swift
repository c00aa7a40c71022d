// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// Why a key has the value that it has for a node: every candidate, in the order in which they were
/// looked at.
public struct Explanation<Value: Sendable>: Sendable {
    /// What might have given the value.
    public struct Candidate: Sendable {
        /// What kind of candidate it is.
        public enum Kind: String, Sendable {
            /// A value that somebody has set.
            case set
            case rule
            /// The key's default, where there is nothing else.
            case `default`
        }

        /// `nil` for a kind that this library doesn't know.
        public let kind: Kind?
        /// The path of the node that has set it, or a rule's file and line.
        public let origin: String?
        /// The value as JSON.
        public let json: String?
        public let won: Bool
        /// Why it won, or lost, as a sentence.
        public let reason: String
        /// When it was set.
        public let since: String?
        /// Who has set it.
        public let author: String?
    }

    /// The value; `nil` where nobody has set one and no rule gives one: then the key's default is
    /// read.
    public let value: Value?
    public let candidates: [Candidate]
    /// All of it, as `cascadectl env explain --json` prints it.
    public let document: String
}

extension Explanation where Value: Decodable {
    /// Throws ``CascadeError`` if the document is none, or the value none of the key's.
    init(_ document: String, of key: ErasedKey) throws {
        let json = try JSONValue(document: document)
        self.document = document
        value = try json["value"].map { value in
            try PayloadCodec.decode(
                Value.self, as: "value of '\(key.name)'", from: value.text.utf8,
                contentType: nil)
        }
        guard case .array(let candidates)? = json["candidates"] else {
            self.candidates = []
            return
        }
        self.candidates = candidates.map(Candidate.init)
    }
}

extension Explanation.Candidate {
    fileprivate init(_ json: JSONValue) {
        kind = json["kind"]?.string.flatMap(Kind.init(rawValue:))
        origin = json["from"]?.string
        self.json = json["value"]?.text
        won = json["won"]?.bool ?? false
        reason = json["why"]?.string ?? ""
        since = json["since"]?.string
        author = json["by"]?.string
    }
}

extension JSONValue {
    /// Reads what the bus has answered. Throws ``CascadeError``.
    init(document: String) throws {
        do {
            self = try JSONValue(parsing: document)
        } catch {
            throw CascadeError(.violation, "the bus has answered what is no JSON: \(error)")
        }
    }
}
