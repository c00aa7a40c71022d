// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The state of a command that watches a place: it continues when the place has ended, because its
/// node may return, for example after a restart of the daemon.
struct PlaceWatch {
    private var wasShown: Bool
    private var isAbsent = false

    init(wasShown: Bool = false) {
        self.wasShown = wasShown
    }

    /// Runs `show` and rethrows its errors. If the place is missing and was shown before, calls
    /// `showAbsence` instead, once for each absence.
    mutating func show(
        _ show: () async throws -> Void, absence showAbsence: (AbsenceDocument) -> Void
    ) async throws {
        do {
            try await show()
            wasShown = true
            isAbsent = false
        } catch let error as CascadeError where wasShown && error.reason == .noSuchNode {
            if !isAbsent {
                showAbsence(AbsenceDocument(sentence: error.message, when: .now))
            }
            isAbsent = true
        }
    }
}
