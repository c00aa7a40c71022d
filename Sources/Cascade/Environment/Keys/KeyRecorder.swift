// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A recorder of the keys that are read from an environment; it finds the keys of a key path.
final class KeyRecorder: Sendable {
    private let recorded = Mutex<[ErasedKey]>([])

    var keys: [ErasedKey] {
        recorded.withLock { $0 }
    }

    func recordRead(_ key: ErasedKey) {
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
        _ = read(EnvironmentValues(overrides: EnvironmentOverrides(recorder: recorder)))
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
            "a value of '\(keys[0].name)' as a whole is needed, but the key path names a part of it"
        )
        return keys[0]
    }
}

/// The differences between an environment and the values that the running node reads: values that
/// code has assigned, a snapshot, or a recorder of the keys that are read.
final class EnvironmentOverrides: Sendable {
    /// The assigned values in the order of their assignment, one for each key.
    let assigned: [AssignedValue]
    /// The values that are read instead of the node's own.
    private let snapshot: EnvironmentSnapshot?
    private let recorder: KeyRecorder?

    init(
        assigned: [AssignedValue] = [], snapshot: EnvironmentSnapshot? = nil,
        recorder: KeyRecorder? = nil
    ) {
        self.assigned = assigned
        self.snapshot = snapshot
        self.recorder = recorder
    }

    /// Whether a key without a value here is read as the node reads it.
    var isOpen: Bool {
        snapshot == nil && recorder == nil
    }

    func assigning(_ value: AssignedValue) -> EnvironmentOverrides {
        EnvironmentOverrides(
            assigned: assigned.filter { $0.key.id != value.key.id } + [value], snapshot: snapshot,
            recorder: recorder)
    }

    func box(of id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        assigned.first { $0.key.id == id }?.box ?? snapshot?.box(of: id)
    }

    /// Records that a key without a value here was read.
    func recordRead(_ key: ErasedKey) {
        recorder?.recordRead(key)
    }
}
