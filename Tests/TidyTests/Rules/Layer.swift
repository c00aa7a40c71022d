// SPDX-License-Identifier: Apache-2.0

/// One row of the dependency table: a folder of `Sources` and the modules it may import.
struct Layer: Sendable {
    let target: String
    let mayImport: [String]

    /// Modules that only some files may import: those whose path contains the given text.
    let confined: [String: String]

    init(_ target: String, mayImport: [String], confined: [String: String] = [:]) {
        self.target = target
        self.mayImport = mayImport
        self.confined = confined
    }

    func allows(_ module: String, in path: String) -> Bool {
        mayImport.contains(module) || confined[module].map(path.contains) ?? false
    }

    /// What the row says, for the reader of a finding.
    var summary: String {
        let exceptions = confined.sorted { $0.key < $1.key }.map { "\($0.key) in \($0.value) only" }
        let allowed = (mayImport + exceptions).joined(separator: ", ")
        return "\(target) may import \(allowed.isEmpty ? "nothing" : allowed)"
    }
}
