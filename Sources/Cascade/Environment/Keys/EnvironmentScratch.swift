// SPDX-License-Identifier: Apache-2.0

/// The differences between an environment and the values that the running node reads: values that
/// code has assigned, a snapshot, or a recorder of the keys that are read.
final class EnvironmentScratch: Sendable {
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

    func assigning(_ value: AssignedValue) -> EnvironmentScratch {
        EnvironmentScratch(
            assigned: assigned.filter { $0.key.id != value.key.id } + [value], snapshot: snapshot,
            recorder: recorder)
    }

    func box(of id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        assigned.first { $0.key.id == id }?.box ?? snapshot?.box(of: id)
    }

    /// Records that a key without a value here was read.
    func note(_ key: ErasedKey) {
        recorder?.note(key)
    }
}
