// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// What holds for the whole shop.
extension EnvironmentValues {
    /// Whether files are printed now; while it is false they wait.
    package var isOpen: Bool {
        get { self[IsOpenKey.self] }
        set { self[IsOpenKey.self] = newValue }
    }

    /// `morning`, `day`, `evening` or `night`: rules look at it.
    package var timeOfDay: String {
        get { self[TimeOfDayKey.self] }
        set { self[TimeOfDayKey.self] = newValue }
    }

    /// `normal`, `exams` or `holidays`: rules look at it.
    package var season: String {
        get { self[SeasonKey.self] }
        set { self[SeasonKey.self] = newValue }
    }

    /// Whether the shop saves ink and paper: rules look at it.
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
