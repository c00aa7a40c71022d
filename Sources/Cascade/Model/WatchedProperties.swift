// SPDX-License-Identifier: Apache-2.0

/// The keys of the ``Environment`` properties of a user's type.
enum WatchedProperties {
    static func keys(of value: some Any) -> [ErasedKey] {
        var keys: [ErasedKey] = []
        var mirror: Mirror? = Mirror(reflecting: value)
        while let level = mirror {
            for child in level.children {
                keys += (child.value as? any EnvironmentReading)?.keys ?? []
            }
            mirror = level.superclassMirror
        }
        return keys
    }
}

/// A property that reads the environment.
protocol EnvironmentReading {
    var keys: [ErasedKey] { get }
}
