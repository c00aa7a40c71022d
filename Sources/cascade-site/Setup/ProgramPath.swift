// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where programs are.
enum ProgramPath {
    static let server = "nats-server"

    /// Returns the path of a program: beside this one, in `PATH`, or among the system's services, whose
    /// folder an ordinary user does not have in `PATH`.
    static func find(_ name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders = [ownFolder] + path.split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The folder of this program.
    private static var ownFolder: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(
            decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
