// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A recorder of the keys that are read from an environment; it finds the keys of a key path.
final class KeyRecorder: Sendable {
    private let recorded = Mutex<[ErasedKey]>([])

    var keys: [ErasedKey] {
        recorded.withLock { $0 }
    }

    func note(_ key: ErasedKey) {
        recorded.withLock { keys in
            if !keys.contains(where: { $0.id == key.id }) {
                keys.append(key)
            }
        }
    }
}

extension EnvironmentValues {
    /// Returns the keys that a key path reads; none for an action such as `\.triggerEvent`.
    static func keys(of keyPath: KeyPath<EnvironmentValues, some Any>) -> [ErasedKey] {
        keys { $0[keyPath: keyPath] }
    }

    /// Returns the keys that a closure reads.
    static func keys<Value>(_ read: (EnvironmentValues) -> Value) -> [ErasedKey] {
        let recorder = KeyRecorder()
        _ = read(EnvironmentValues(scratch: EnvironmentScratch(recorder: recorder)))
        return recorder.keys
    }

    /// Returns the key whose value a key path reads.
    ///
    /// - Precondition: The key path reads one key, and the whole of its value: parts of values and
    ///   values derived from them have no name on the bus.
    static func key<Value>(of keyPath: KeyPath<EnvironmentValues, Value>) -> ErasedKey {
        let keys = keys(of: keyPath)
        precondition(
            keys.count == 1,
            "the key path reads \(keys.count) keys of the environment, and one is needed")
        precondition(
            keys[0].valueType == Value.self,
            "a value of '\(keys[0].name)' as a whole is needed, and the key path goes on from it")
        return keys[0]
    }
}
