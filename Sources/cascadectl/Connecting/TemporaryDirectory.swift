// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A directory for the sockets and files of a command, which only its user may read.
enum TemporaryDirectory {
    /// Creates the directory, whose name begins with `name`, and returns its path. The command removes it at
    /// its end.
    static func make(_ name: String, in parent: String) throws(Stop) -> String {
        var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Stop(
                .failure,
                "cannot make a directory in \(parent): \(ErrorNumber(errno))")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
