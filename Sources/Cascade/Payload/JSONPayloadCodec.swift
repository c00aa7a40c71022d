// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The JSON encoding of payloads. The only file that imports Foundation.
enum JSONPayloadCodec {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Collection<UInt8>
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes.isEmpty ? Array("{}".utf8) : Array(bytes)))
    }
}
