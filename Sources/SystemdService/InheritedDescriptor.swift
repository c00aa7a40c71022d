// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A descriptor that the service manager has opened or stored for this process.
package struct InheritedDescriptor: Equatable, Sendable {
    package var name: String
    package var number: Int32

    package init(name: String, number: Int32) {
        self.name = name
        self.number = number
    }

    /// Returns the descriptors that the environment passes to this process (sd_listen_fds(3)), and sets
    /// their close-on-exec flag. Call it once.
    package static func fromEnvironment() -> [InheritedDescriptor] {
        let all = list(
            count: environmentVariable("LISTEN_FDS"),
            names: environmentVariable("LISTEN_FDNAMES"),
            for: environmentVariable("LISTEN_PID"), in: getpid())
        for descriptor in all {
            _ = fcntl(descriptor.number, F_SETFD, FD_CLOEXEC)
        }
        return all
    }

    /// Returns the descriptors that these values of `LISTEN_FDS`, `LISTEN_FDNAMES` and `LISTEN_PID`
    /// pass to `process`. Returns none if they are for another process or invalid.
    package static func list(
        count: String?, names: String?, for owner: String?, in process: Int32
    ) -> [InheritedDescriptor] {
        guard owner == "\(process)", let count = count.flatMap({ Int32($0) }), count > 0,
            count < 4096
        else {
            return []
        }
        let names = names?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        return (0..<count).map { index in
            InheritedDescriptor(
                name: Int(index) < names.count ? String(names[Int(index)]) : "unknown",
                number: 3 + index)
        }
    }

    /// The path of the descriptor if it is a listening unix socket; otherwise `nil`.
    package var listeningPath: String? {
        var path = [CChar](repeating: 0, count: 128)
        guard cascade_listening_path(number, &path, path.count) > 0 else {
            return nil
        }
        let bytes = path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Returns the value of an environment variable; `nil` if it is not set.
func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
