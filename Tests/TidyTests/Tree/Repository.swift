// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The files of the checkout that this suite was compiled from.
struct Repository: Sendable {
    /// Every Swift file of the package: its manifest, `Sources` and `Tests`.
    let swiftFiles: [SourceFile]

    /// Every text file, the Swift files among them.
    let textFiles: [TextFile]

    let topLevelNames: [String]

    /// What tools leave behind; it is never committed, so no rule applies to it.
    private static let untracked: Set = [
        ".build", ".git", ".swiftpm", "Package.resolved", "__pycache__",
    ]

    /// Read once for all suites.
    private static let loaded = Result { try Repository(root: rootFolder()) }

    static func checkedOut() throws -> Repository {
        try loaded.get()
    }

    init(root: String) throws {
        topLevelNames = try Self.trackedNames(in: root)
        textFiles = try Self.files(in: root).map { path in
            TextFile(path: path, text: try Self.text(of: "\(root)/\(path)"))
        }
        swiftFiles = textFiles.filter { $0.path.hasSuffix(".swift") }.map(SourceFile.init)
    }

    /// This file is `Tests/TidyTests/Tree/Repository.swift`: the root is four levels up.
    private static func rootFolder(of file: String = #filePath) -> String {
        "/" + file.split(separator: "/").dropLast(4).joined(separator: "/")
    }

    private static func trackedNames(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { name in
            !untracked.contains(name) && !name.hasPrefix(".build-")
        }
    }

    private static func files(in root: String, below folder: String = "") throws -> [String] {
        try trackedNames(in: "\(root)/\(folder)").flatMap { name in
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            return isFolder("\(root)/\(path)") ? try files(in: root, below: path) : [path]
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// The text of a file; a binary file has none.
    private static func text(of path: String) throws -> String {
        let bytes = try Data(contentsOf: URL(filePath: path))
        return String(validating: bytes, as: UTF8.self) ?? ""
    }
}
