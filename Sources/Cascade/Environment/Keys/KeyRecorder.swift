// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Notes which keys of the environment are read: that is how a key path tells its keys.
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
    /// The keys that a key path reads; none for an action such as `\.triggerEvent`.
    static func keys(of keyPath: KeyPath<EnvironmentValues, some Any>) -> [ErasedKey] {
        keys { $0[keyPath: keyPath] }
    }

    /// The keys that code reads.
    static func keys<Value>(_ read: (EnvironmentValues) -> Value) -> [ErasedKey] {
        let recorder = KeyRecorder()
        _ = read(EnvironmentValues(scratch: EnvironmentScratch(recorder: recorder)))
        return recorder.keys
    }

    /// The key whose value a key path reads.
    ///
    /// - Precondition: it reads one key and no more, and all of its value: part of one, or what is
    ///   made of one, the bus knows nothing of.
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
