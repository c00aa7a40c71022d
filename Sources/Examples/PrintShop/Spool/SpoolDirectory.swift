// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The directory that files are dropped into, and the two inside it where they end.
struct SpoolDirectory: Sendable {
    let path: String

    /// Where a file ends.
    enum Tray: String, CaseIterable {
        case done
        case rejected
    }

    /// Makes what is not there yet.
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

    /// Puts up a sign for whoever looks into the directory, or takes it away: the file `.closed`.
    func show(isClosed: Bool) throws {
        let sign = path(of: ".closed")
        if isClosed {
            try Data().write(to: URL(filePath: sign))
        } else if FileManager.default.fileExists(atPath: sign) {
            try FileManager.default.removeItem(atPath: sign)
        }
    }

    /// The names of the files that wait, in order.
    func waiting() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().filter(isWaiting)
    }

    /// Whether a file of this name is still there to be printed.
    func isWaiting(_ name: String) -> Bool {
        var isDirectory = false
        let exists = FileManager.default.fileExists(
            atPath: path(of: name), isDirectory: &isDirectory)
        return exists && !isDirectory && !name.hasPrefix(".")
    }

    /// A name that no older file in a tray has: the file's own, or one close to it.
    func unusedName(for name: String, in tray: Tray) -> String {
        var unused = name
        var number = 1
        while FileManager.default.fileExists(atPath: path(of: unused, in: tray)) {
            number += 1
            unused = "\(name)~\(number)"
        }
        return unused
    }

    /// Moves a file into a tray, under another name if need be.
    func move(_ name: String, to tray: Tray, as newName: String) throws {
        try FileManager.default.moveItem(
            atPath: path(of: name), toPath: path(of: newName, in: tray))
    }
}
