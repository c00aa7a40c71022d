// SPDX-License-Identifier: Apache-2.0

/// What makes values of the environment differ from those that the running node reads: values that
/// code has assigned, values as they were once, or somebody who notes what is read.
final class EnvironmentScratch: Sendable {
    /// In the order in which they were assigned; one for each key.
    let assigned: [AssignedValue]
    /// What is read in place of the node's own values.
    let snapshot: EnvironmentSnapshot?
    private let recorder: KeyRecorder?

    init(
        assigned: [AssignedValue] = [], snapshot: EnvironmentSnapshot? = nil,
        recorder: KeyRecorder? = nil
    ) {
        self.assigned = assigned
        self.snapshot = snapshot
        self.recorder = recorder
    }

    func assigning(_ value: AssignedValue) -> EnvironmentScratch {
        EnvironmentScratch(
            assigned: assigned.filter { $0.key.id != value.key.id } + [value], snapshot: snapshot,
            recorder: recorder)
    }

    /// What is read here under a key; `nil` if that is what the node reads.
    func value<K: EnvironmentKey>(of key: K.Type) -> K.Value? {
        if let recorder {
            recorder.note(ErasedKey(key))
            return K.defaultValue
        }
        if let value = assigned.first(where: { $0.key.id == ObjectIdentifier(key) }) {
            return (value.box as? ValueBox<K.Value>)?.value
        }
        return snapshot.map { $0.box(of: key)?.value ?? K.defaultValue }
    }
}
