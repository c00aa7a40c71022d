// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// Settings of printers.
extension EnvironmentValues {
    /// The size of the paper.
    package var paperSize: String {
        get { self[PaperSizeKey.self] }
        set { self[PaperSizeKey.self] = newValue }
    }

    /// The sizes that a printer has. It takes no job for another ``paperSize``.
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
