// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The canonical paths of files, for comparisons.
enum RealPath {
    /// Returns the absolute path without symbolic links; `nil` if the file does not exist.
    static func of(_ name: String) -> String? {
        guard let path = realpath(name, nil) else {
            return nil
        }
        defer { free(path) }
        return String(cString: path)
    }
}
