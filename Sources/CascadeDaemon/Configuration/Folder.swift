// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads folders.
enum Folder {
    /// The names in a folder, unordered; `nil` if the folder cannot be opened.
    static func names(in path: String) -> [String]? {
        guard let folder = opendir(path) else {
            return nil
        }
        defer { closedir(folder) }
        return names(in: folder)
    }

    /// The names in an open folder, unordered.
    static func names(in folder: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
