// SPDX-License-Identifier: Apache-2.0

/// Refuses paths that exist on one machine only.
struct MachinePathRule {
    private static let folders = ["home", "root", "work"].map { "/\($0)/" }

    func findings(in file: TextFile) -> [Finding] {
        file.lines.enumerated().flatMap { index, line in
            Self.folders.filter { Self.beginsPath($0, in: line) }.map { folder in
                Finding(file.path, line: index + 1, "'\(folder)…' exists on one machine only")
            }
        }
    }

    /// Whether the folder begins a path, rather than standing in the middle of one.
    private static func beginsPath(_ folder: String, in line: Substring) -> Bool {
        line.ranges(of: folder).contains { range in
            guard let previous = line[..<range.lowerBound].last else { return true }
            return !previous.isLetter && !previous.isNumber && !"_-.}/".contains(previous)
        }
    }
}
