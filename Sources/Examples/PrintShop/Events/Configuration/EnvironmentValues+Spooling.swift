// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// How files come in.
extension EnvironmentValues {
    /// How often each file is printed; as often as the spool was told to if 0.
    package var copies: Int {
        get { self[CopiesKey.self] }
        set { self[CopiesKey.self] = newValue }
    }

    /// How long a printer may take; as long as the bus says if 0.
    package var deadlineSeconds: Int {
        get { self[DeadlineSecondsKey.self] }
        set { self[DeadlineSecondsKey.self] = newValue }
    }

    /// How long a file that nobody takes waits for somebody who comes later.
    package var holdSeconds: Int {
        get { self[HoldSecondsKey.self] }
        set { self[HoldSecondsKey.self] = newValue }
    }

    /// How often a file is tried again when a printer has failed.
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
