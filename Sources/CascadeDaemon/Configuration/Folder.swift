// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads folders.
enum Folder {
    /// The names in a folder, unordered; `nil` if the folder cannot be read.
    static func names(in path: String) -> [String]? {
        guard let folder = opendir(path) else {
            return nil
        }
        defer { closedir(folder) }
        return names(in: folder)
    }

    /// The names in an open folder, unordered; `nil` if it cannot be read to its end, with the
    /// reason in errno.
    static func names(in folder: OpaquePointer) -> [String]? {
        var names: [String] = []
        while true {
            // readdir(3) returns NULL for an error, too, and changes errno only then.
            errno = 0
            guard let entry = readdir(folder) else {
                return errno == 0 ? names : nil
            }
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
    }
}
