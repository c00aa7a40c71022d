// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A folder that only this user may read. It is removed with its files at the end.
final class TemporaryFolder {
    let path: String

    init(prefix: String = "cascade-site-") throws(Stop) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Stop.file(parent, "create a folder in", errno)
        }
        path = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." {
                    remove("\(path)/\(name)")
                }
            }
            closedir(folder)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
