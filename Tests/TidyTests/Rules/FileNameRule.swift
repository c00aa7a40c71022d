// SPDX-License-Identifier: Apache-2.0

/// Wants a file to be named for its concept.
///
/// `Broker.swift` declares `Broker`; `Broker+Inspection.swift` extends `Broker`; a file of
/// operators says so in its name.
struct FileNameRule {
    private static let namedByTools: Set = ["Package.swift", "main.swift"]

    func findings(in file: SourceFile) -> [Finding] {
        let name = String(file.file.name)
        guard !Self.namedByTools.contains(name) else { return [] }
        let concept = name.dropLast(".swift".count)
        guard let type = concept.split(separator: "+").first, type != concept else {
            let declares =
                file.declarations.contains { !$0.isExtension && $0.name == concept }
                || (concept.hasSuffix("Operators") && file.file.text.contains("infix operator"))
            return declares ? [] : [Finding(file.path, "declares no type named \(concept)")]
        }
        let extends = file.declarations.contains { $0.isExtension && Self.names($0, type) }
        return extends ? [] : [Finding(file.path, "does not extend \(type)")]
    }

    /// Whether an extension is of the type, by its full name or by the last part of it.
    private static func names(_ declaration: Declaration, _ type: Substring) -> Bool {
        declaration.name == type || declaration.name.hasSuffix(".\(type)")
    }
}
