// SPDX-License-Identifier: Apache-2.0

import Glibc
import Subprocess

/// Where programs are.
enum ProgramPath {
    static let server = "nats-server"

    /// Returns the path of a program in one of the ``folders``.
    static func find(_ name: String) -> String? {
        folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The environment of programs, which are found as by ``find(_:)``.
    static var environment: Subprocess.Environment {
        .inherit.updating(["PATH": folders.joined(separator: ":")])
    }

    /// The folder of this program, those of `PATH`, and that of the system's services, which an ordinary user
    /// does not have in `PATH`.
    private static var folders: [String] {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return [ownFolder] + path.split(separator: ":").map(String.init) + ["/usr/sbin"]
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

/// The output of a command, without a buffer, so that it is complete when the process ends at once.
enum StandardOutput {
    static func write(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR else {
                return
            }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
