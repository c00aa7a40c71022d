// SPDX-License-Identifier: Apache-2.0

/// The default names of keys on the bus.
enum KeyName {
    private static let ending = "Key"

    /// Returns the name of a key whose type declares none.
    static func standard(for type: Any.Type) -> String {
        var name = Substring(String(describing: type))
        if name.hasSuffix(ending), name.count > ending.count {
            name.removeLast(ending.count)
        }
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}
