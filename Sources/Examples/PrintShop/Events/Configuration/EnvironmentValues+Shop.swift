// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// Settings of the whole shop.
extension EnvironmentValues {
    /// Whether files are printed now; otherwise they wait.
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
