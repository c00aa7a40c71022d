// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The JSON encoding of payloads. The only file that imports Foundation.
enum JSONPayloadCodec {
    /// Shared by all threads: coding locks only the options, which never change.
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    private static let decoder = JSONDecoder()
    private static let emptyObject = Data("{}".utf8)

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try encoder.encode(value))
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Collection<UInt8>
    ) throws -> Value {
        try decoder.decode(type, from: bytes.isEmpty ? emptyObject : Data(bytes))
    }
}
