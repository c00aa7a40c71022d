// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// Announcements to customers.
extension EnvironmentValues {
    /// Whether the shop announces anything.
    package var announces: Bool {
        get { self[AnnouncesKey.self] }
        set { self[AnnouncesKey.self] = newValue }
    }

    /// The announcement of a printed file; `{title}` stands for the file's name.
    package var readyText: String {
        get { self[ReadyTextKey.self] }
        set { self[ReadyTextKey.self] = newValue }
    }

    /// The announcement of a file that no printer takes.
    package var byHandText: String {
        get { self[ByHandTextKey.self] }
        set { self[ByHandTextKey.self] = newValue }
    }

    /// Whether the shop prints files by hand that no printer takes.
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
