// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// Settings of the spool.
extension EnvironmentValues {
    /// The number of copies of each file; with 0, the spool's option.
    package var copies: Int {
        get { self[CopiesKey.self] }
        set { self[CopiesKey.self] = newValue }
    }

    /// The time that a printer has, in seconds; with 0, the bus's default.
    package var deadlineSeconds: Int {
        get { self[DeadlineSecondsKey.self] }
        set { self[DeadlineSecondsKey.self] = newValue }
    }

    /// The time that an unhandled file waits for a later printer, in seconds.
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
