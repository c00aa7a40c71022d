// SPDX-License-Identifier: Apache-2.0

import Cascade

/// Keeps a command going whose place has gone after it was shown: the place may come back, as its
/// node does after a restart of the daemon.
struct PlaceWatch {
    private var wasShown: Bool
    private var isAbsent = false

    init(wasShown: Bool = false) {
        self.wasShown = wasShown
    }

    /// Runs `show`. Throws what that throws, but where a place is missing that was shown before,
    /// calls `showAbsence` instead, once until it is back.
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
