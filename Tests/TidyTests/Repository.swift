// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

/// The text files of the checkout that this suite was compiled from.
struct Repository: Sendable {
    let files: [TextFile]
    let topLevelNames: [String]

    var swiftFiles: [TextFile] {
        files.filter { $0.path.hasSuffix(".swift") }
    }

    /// The files that contain at least one of the texts; searching all of them closely takes long.
    func files(mentioning texts: String...) -> [TextFile] {
        files.filter { file in texts.contains { file.text.contains($0) } }
    }

    /// Read once for all suites.
    private static let loaded = Result { try Repository(root: rootFolder()) }

    /// Files that tools leave behind and that are never committed.
    private static let untracked: Set = [
        ".build", ".git", ".swiftpm", "Package.resolved", "__pycache__",
    ]

    static func checkedOut() throws -> Repository {
        try loaded.get()
    }

    private init(root: String) throws {
        topLevelNames = try Self.trackedNames(in: root)
        files = try Self.paths(in: root).map { path in
            let bytes = try Data(contentsOf: URL(filePath: "\(root)/\(path)"))
            // A binary file has no text.
            return TextFile(path: path, text: String(validating: bytes, as: UTF8.self) ?? "")
        }
    }

    /// This file is `Tests/TidyTests/Repository.swift`: the root is three levels up.
    private static func rootFolder(of file: String = #filePath) -> String {
        "/" + file.split(separator: "/").dropLast(3).joined(separator: "/")
    }

    private static func trackedNames(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { name in
            !untracked.contains(name) && !name.hasPrefix(".build-")
        }
    }

    private static func paths(in root: String, below folder: String = "") throws -> [String] {
        try trackedNames(in: "\(root)/\(folder)").flatMap { name in
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var isFolder = false
            _ = FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
            return isFolder ? try paths(in: root, below: path) : [path]
        }
    }
}

/// A text file, named by its path below the root.
struct TextFile: Sendable {
    let path: String
    let text: String

    /// The lines without their line breaks, found by bytes: finding them by characters is slow.
    var lines: [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// The folder of `Sources` that the file belongs to; `nil` outside `Sources`.
    var target: String? {
        let components = path.split(separator: "/")
        return components.count > 2 && components[0] == "Sources" ? String(components[1]) : nil
    }

    /// A finding for each line in which `fault` sees one.
    func findings(_ fault: (Substring) -> String?) -> [String] {
        zip(1..., lines).compactMap { number, line in
            fault(line).map { "\(path):\(number): \($0)" }
        }
    }
}

/// Fails the running test once for each finding, so that every place is named.
func expectNone(_ findings: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    for finding in findings {
        Issue.record("\(finding)", sourceLocation: sourceLocation)
    }
}
