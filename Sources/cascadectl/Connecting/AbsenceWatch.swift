// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The state of a command that shows a place or a site again and again. The command continues when that is
/// absent, because it may return, for example after a restart of the daemon.
struct AbsenceWatch {
    enum Subject {
        /// A place, which is absent while the bus knows no node at it.
        case place
        /// A site, which is absent while it cannot be asked.
        case site
    }

    private let subject: Subject
    /// Whether the subject has ever been shown.
    private var wasShown: Bool
    /// Whether the absence of the subject has been reported.
    private var isAbsent = false

    init(of subject: Subject, wasShown: Bool = false) {
        self.subject = subject
        self.wasShown = wasShown
    }

    /// Returns the result of `show`; `nil` if the subject was shown before and is absent now, which it reports
    /// once for each absence. Rethrows all other errors.
    @discardableResult
    mutating func watch<Result>(
        _ show: () async throws -> Result, reporting report: (AbsenceDocument) -> Void
    ) async throws -> Result? {
        do {
            let result = try await show()
            wasShown = true
            isAbsent = false
            return result
        } catch {
            guard wasShown, let sentence = subject.absence(error) else {
                throw error
            }
            if !isAbsent {
                report(AbsenceDocument(sentence: sentence, when: .now))
            }
            isAbsent = true
            return nil
        }
    }
}

extension AbsenceWatch.Subject {
    /// Returns the message of an error that means the absence of the subject; `nil` for another error.
    fileprivate func absence(_ error: any Error) -> String? {
        switch self {
        case .place:
            (error as? CascadeError).flatMap { $0.reason == .noSuchNode ? $0.message : nil }
        case .site: error is CancellationError ? nil : Stop(error)?.message
        }
    }
}

/// The absence of a node or a site that a command watches.
struct AbsenceDocument: Document {
    /// The message of the error that means the absence.
    let sentence: String
    let when: Timestamp

    var json: JSONValue {
        .document(
            "absence", ["message": .string(sentence), "when": .text(when)])
    }

    func text(_ style: Style) -> String {
        style.apply(.yellow, "\(sentence); waiting for it".safeForTerminal)
    }
}
