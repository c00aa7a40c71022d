// SPDX-License-Identifier: Apache-2.0

/// What makes values of the environment differ from those that the running node reads: values that
/// code has assigned, values as they were once, or somebody who notes what is read.
final class EnvironmentScratch: Sendable {
    /// In the order in which they were assigned; one for each key.
    let assigned: [AssignedValue]
    /// What is read in place of the node's own values.
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

    /// Whether what isn't here is read as the node reads it.
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

    /// A key was read that has no value here.
    func note(_ key: ErasedKey) {
        recorder?.note(key)
    }
}
