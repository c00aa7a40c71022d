// SPDX-License-Identifier: Apache-2.0

/// A JSON object whose member names are data, such as the keys of an environment. The members keep
/// their order.
public struct NamedMembers<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
    /// A name with its value.
    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: Value

        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    private var members: [Member]

    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// The value with a name; `nil` if there is none.
    public subscript(name: String) -> Value? {
        members.last { $0.name == name }?.value
    }
}

extension NamedMembers: RandomAccessCollection {
    public var startIndex: Int {
        members.startIndex
    }

    public var endIndex: Int {
        members.endIndex
    }

    public subscript(position: Int) -> Member {
        members[position]
    }
}

extension NamedMembers: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { Member($0.0, $0.1) })
    }
}

extension NamedMembers: Codable {
    private struct Name: CodingKey {
        let stringValue: String

        var intValue: Int? {
            nil
        }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        self.init(
            try container.allKeys.map { name in
                Member(name.stringValue, try container.decode(Value.self, forKey: name))
            })
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for member in members {
            try container.encode(member.value, forKey: Name(stringValue: member.name))
        }
    }
}
