// SPDX-License-Identifier: Apache-2.0

package import Cascade

// MARK: - Shop

/// Settings of the whole shop.
extension EnvironmentValues {
    /// Whether files are printed. While the shop is closed, they wait.
    package var isOpen: Bool {
        get { self[IsOpenKey.self] }
        set { self[IsOpenKey.self] = newValue }
    }

    /// The time of day, for rules: `morning`, `day`, `evening` or `night`.
    package var timeOfDay: String {
        get { self[TimeOfDayKey.self] }
        set { self[TimeOfDayKey.self] = newValue }
    }

    /// The season, for rules: `normal`, `exams` or `holidays`.
    package var season: String {
        get { self[SeasonKey.self] }
        set { self[SeasonKey.self] = newValue }
    }

    /// Whether the shop saves ink and paper, for rules.
    package var isSaving: Bool {
        get { self[IsSavingKey.self] }
        set { self[IsSavingKey.self] = newValue }
    }
}

private enum IsOpenKey: EnvironmentKey {
    static let defaultValue = true
}

private enum TimeOfDayKey: EnvironmentKey {
    static let defaultValue = "day"
}

private enum SeasonKey: EnvironmentKey {
    static let defaultValue = "normal"
}

private enum IsSavingKey: EnvironmentKey {
    static let defaultValue = false
}

// MARK: - Spool

/// Settings of the spool.
extension EnvironmentValues {
    /// The number of copies of each file; 0 for the spool's option.
    package var copies: Int {
        get { self[CopiesKey.self] }
        set { self[CopiesKey.self] = newValue }
    }

    /// The time limit of a printer, in seconds; 0 for the bus's default.
    package var deadlineSeconds: Int {
        get { self[DeadlineSecondsKey.self] }
        set { self[DeadlineSecondsKey.self] = newValue }
    }

    /// The time for which an unhandled file waits for a later printer, in seconds.
    package var holdSeconds: Int {
        get { self[HoldSecondsKey.self] }
        set { self[HoldSecondsKey.self] = newValue }
    }

    /// The number of retries after a failure of a printer.
    package var retries: Int {
        get { self[RetriesKey.self] }
        set { self[RetriesKey.self] = newValue }
    }
}

private enum CopiesKey: EnvironmentKey {
    static let defaultValue = 0
}

private enum DeadlineSecondsKey: EnvironmentKey {
    static let defaultValue = 0
}

private enum HoldSecondsKey: EnvironmentKey {
    static let defaultValue = 0
}

private enum RetriesKey: EnvironmentKey {
    static let defaultValue = 0
}

// MARK: - Printers

/// Settings of printers.
extension EnvironmentValues {
    /// The size of the paper.
    package var paperSize: String {
        get { self[PaperSizeKey.self] }
        set { self[PaperSizeKey.self] = newValue }
    }

    /// The paper sizes that a printer has. It refuses jobs for any other ``paperSize``.
    package var acceptedPaperSizes: [String] {
        get { self[AcceptedPaperSizesKey.self] }
        set { self[AcceptedPaperSizesKey.self] = newValue }
    }

    /// The maximum size of a file in bytes, unless the printer has a lower limit.
    package var maximumByteCount: Int {
        get { self[MaximumByteCountKey.self] }
        set { self[MaximumByteCountKey.self] = newValue }
    }

    /// The maximum number of copies of a file.
    package var maximumCopies: Int {
        get { self[MaximumCopiesKey.self] }
        set { self[MaximumCopiesKey.self] = newValue }
    }

    /// The kinds of files that a printer refuses.
    package var refusedKinds: [FileKind] {
        get { self[RefusedKindsKey.self] }
        set { self[RefusedKindsKey.self] = newValue }
    }

    /// Whether pictures are printed.
    package var allowsColour: Bool {
        get { self[AllowsColourKey.self] }
        set { self[AllowsColourKey.self] = newValue }
    }

    /// Whether both sides of the paper are printed.
    package var isDuplex: Bool {
        get { self[IsDuplexKey.self] }
        set { self[IsDuplexKey.self] = newValue }
    }

    /// Whether a printer verifies that a file is unchanged since its announcement.
    package var verifiesFiles: Bool {
        get { self[VerifiesFilesKey.self] }
        set { self[VerifiesFilesKey.self] = newValue }
    }
}

private enum PaperSizeKey: EnvironmentKey {
    static let defaultValue = "a4"
}

private enum AcceptedPaperSizesKey: EnvironmentKey {
    static let defaultValue: [String] = ["a3", "a4", "letter"]
}

private enum MaximumByteCountKey: EnvironmentKey {
    static let defaultValue = Int.max
}

private enum MaximumCopiesKey: EnvironmentKey {
    static let defaultValue = 100
}

private enum RefusedKindsKey: EnvironmentKey {
    static let defaultValue: [FileKind] = []
}

private enum AllowsColourKey: EnvironmentKey {
    static let defaultValue = true
}

private enum IsDuplexKey: EnvironmentKey {
    static let defaultValue = false
}

private enum VerifiesFilesKey: EnvironmentKey {
    static let defaultValue = true
}

// MARK: - Announcements

/// Settings of the announcements to customers.
extension EnvironmentValues {
    /// Whether the shop makes announcements.
    package var announces: Bool {
        get { self[AnnouncesKey.self] }
        set { self[AnnouncesKey.self] = newValue }
    }

    /// The announcement of a printed file; `{title}` stands for the file's name.
    package var readyText: String {
        get { self[ReadyTextKey.self] }
        set { self[ReadyTextKey.self] = newValue }
    }

    /// The announcement of a file that no printer accepts.
    package var byHandText: String {
        get { self[ByHandTextKey.self] }
        set { self[ByHandTextKey.self] = newValue }
    }

    /// Whether the shop prints the files by hand that no printer accepts.
    package var doesByHand: Bool {
        get { self[DoesByHandKey.self] }
        set { self[DoesByHandKey.self] = newValue }
    }

    /// The text that a display writes before each line.
    package var displayPrefix: String {
        get { self[DisplayPrefixKey.self] }
        set { self[DisplayPrefixKey.self] = newValue }
    }

    /// Whether a display shows door bells.
    package var showsDoorBell: Bool {
        get { self[ShowsDoorBellKey.self] }
        set { self[ShowsDoorBellKey.self] = newValue }
    }
}

private enum AnnouncesKey: EnvironmentKey {
    static let defaultValue = true
}

private enum ReadyTextKey: EnvironmentKey {
    static let defaultValue = "{title} is ready"
}

private enum ByHandTextKey: EnvironmentKey {
    static let defaultValue = "{title} is being done by hand"
}

private enum DoesByHandKey: EnvironmentKey {
    static let defaultValue = true
}

private enum DisplayPrefixKey: EnvironmentKey {
    static let defaultValue = ""
}

private enum ShowsDoorBellKey: EnvironmentKey {
    static let defaultValue = true
}

// MARK: - Health

/// The health of printers, from 0 to 1. A faulty printer offers a lower value, and each node above reads
/// the minimum.
package enum HealthKey: PreferenceKey {
    package static let defaultValue = 1.0
    package static let reducer = PreferenceReducer.min
}
