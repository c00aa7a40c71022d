// SPDX-License-Identifier: Apache-2.0

extension DecodingError {
    /// The path of the member that differs from the expected type, and the difference in the decoder's
    /// words; `nil` for a kind of error that this release does not know.
    package var difference: (path: [any CodingKey], text: String)? {
        switch self {
        case .keyNotFound(let key, let context):
            (context.codingPath + [key], context.debugDescription)
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            (context.codingPath, context.debugDescription)
        @unknown default: nil
        }
    }
}

extension [any CodingKey] {
    /// The path of a member as text, such as `items[2].price`.
    ///
    /// - Parameter name: returns the text of a key.
    package func text(_ name: (String) -> String = { $0 }) -> String {
        reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + name(key.stringValue)
            }
        }
    }
}
