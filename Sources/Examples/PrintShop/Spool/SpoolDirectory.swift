// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The directory into which users drop files, with subdirectories for the results.
struct SpoolDirectory: Sendable {
    let path: String

    /// A subdirectory for finished files.
    enum Tray: String, CaseIterable {
        case done
        case rejected
    }

    /// Creates the missing subdirectories. Throws an error of the file system.
    init(path: String) throws {
        self.path = path
        for tray in Tray.allCases {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(tray.rawValue)", withIntermediateDirectories: true)
        }
    }

    func path(of name: String) -> String {
        "\(path)/\(name)"
    }

    func path(of name: String, in tray: Tray) -> String {
        "\(path)/\(tray.rawValue)/\(name)"
    }

    /// Creates or removes the file `.closed`, which shows users that the shop is closed.
    func show(isClosed: Bool) throws {
        let sign = path(of: ".closed")
        if isClosed {
            try Data().write(to: URL(filePath: sign))
        } else if FileManager.default.fileExists(atPath: sign) {
            try FileManager.default.removeItem(atPath: sign)
        }
    }

    /// Returns the names of the waiting files, sorted.
    func waiting() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().filter(isWaiting)
    }

    /// Returns whether a file of this name is waiting.
    func isWaiting(_ name: String) -> Bool {
        var isDirectory = false
        let exists = FileManager.default.fileExists(
            atPath: path(of: name), isDirectory: &isDirectory)
        return exists && !isDirectory && !name.hasPrefix(".")
    }

    /// Returns an unused name in a tray: the file's own name, or one with a number after it.
    func unusedName(for name: String, in tray: Tray) -> String {
        var unused = name
        var number = 1
        while FileManager.default.fileExists(atPath: path(of: unused, in: tray)) {
            number += 1
            unused = "\(name)~\(number)"
        }
        return unused
    }

    /// Moves a file into a tray, under a given name.
    func move(_ name: String, to tray: Tray, as newName: String) throws {
        try FileManager.default.moveItem(
            atPath: path(of: name), toPath: path(of: newName, in: tray))
    }
}
