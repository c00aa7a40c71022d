// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// What customers get to read.
extension EnvironmentValues {
    /// Whether anything is announced.
    package var announces: Bool {
        get { self[AnnouncesKey.self] }
        set { self[AnnouncesKey.self] = newValue }
    }

    /// What is announced when a file is printed; `{title}` stands for its name.
    package var readyText: String {
        get { self[ReadyTextKey.self] }
        set { self[ReadyTextKey.self] = newValue }
    }

    /// What is announced when no printer takes a file.
    package var byHandText: String {
        get { self[ByHandTextKey.self] }
        set { self[ByHandTextKey.self] = newValue }
    }

    /// Whether somebody does by hand what no printer takes.
    package var doesByHand: Bool {
        get { self[DoesByHandKey.self] }
        set { self[DoesByHandKey.self] = newValue }
    }

    /// What a display writes in front of everything.
    package var displayPrefix: String {
        get { self[DisplayPrefixKey.self] }
        set { self[DisplayPrefixKey.self] = newValue }
    }

    /// Whether a display shows who is at the door.
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
