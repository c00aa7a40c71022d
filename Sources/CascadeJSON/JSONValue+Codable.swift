// SPDX-License-Identifier: Apache-2.0

/// Any coder reads and writes JSON values. A coder other than this package's may change the order of
/// members, and the digits of a number that fits no integer.
extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: JSONKey.self) {
            self = .object(
                try members.allKeys.map { key in
                    Member(
                        key: key.stringValue, value: try members.decode(JSONValue.self, forKey: key)
                    )
                })
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !elements.isAtEnd {
                values.append(try elements.decode(JSONValue.self))
            }
            self = .array(values)
        } else {
            self = try Self(scalar: decoder.singleValueContainer())
        }
    }

    private init(scalar container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(UInt64.self) {
            self = .integer(number)
        } else {
            self = .number("\(try container.decode(Double.self))")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: JSONKey.self)
            for member in members {
                try container.encode(member.value, forKey: JSONKey(stringValue: member.key))
            }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements {
                try container.encode(element)
            }
        case .null, .bool, .string, .number:
            var container = encoder.singleValueContainer()
            try encode(scalar: &container)
        }
    }

    private func encode(scalar container: inout any SingleValueEncodingContainer) throws {
        if let value = bool {
            try container.encode(value)
        } else if let text = string {
            try container.encode(text)
        } else if let number = integer(Int64.self) {
            try container.encode(number)
        } else if let number = integer(UInt64.self) {
            try container.encode(number)
        } else if case .number(let digits) = self, let number = Double(digits) {
            try container.encode(number)
        } else {
            try container.encodeNil()
        }
    }
}
