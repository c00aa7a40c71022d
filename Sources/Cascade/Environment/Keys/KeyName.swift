// SPDX-License-Identifier: Apache-2.0

/// What keys are called on the bus.
enum KeyName {
    private static let ending = "Key"

    /// The name of a key that says nothing else.
    static func standard(for type: Any.Type) -> String {
        var name = Substring(String(describing: type))
        if name.hasSuffix(ending), name.count > ending.count {
            name.removeLast(ending.count)
        }
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}
