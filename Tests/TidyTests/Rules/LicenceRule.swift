// SPDX-License-Identifier: Apache-2.0

/// Wants the licence named on the first line; a manifest names the version of its tools before it.
struct LicenceRule {
    private static let expected = "// SPDX-License-Identifier: Apache-2.0"

    func findings(in file: SourceFile) -> [Finding] {
        let isManifest = file.file.name == "Package.swift"
        let heading = file.file.lines.dropFirst(isManifest ? 1 : 0).first
        guard heading.map(String.init) != Self.expected else { return [] }
        return [Finding(file.path, line: isManifest ? 2 : 1, "expected '\(Self.expected)'")]
    }
}
