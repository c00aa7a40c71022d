// SPDX-License-Identifier: Apache-2.0

/// Keeps the top level of the repository to what a newcomer has to see first.
struct TopLevelRule {
    private static let expected: Set = ["Package.swift", "README.md", "Sources", "Tests", "deploy"]

    func findings(in names: [String]) -> [Finding] {
        names.filter { !$0.hasPrefix(".") && !Self.expected.contains($0) }.map { name in
            let allowed = Self.expected.sorted().joined(separator: ", ")
            return Finding(name, "the top level holds \(allowed) and dotfiles only")
        }
    }
}
