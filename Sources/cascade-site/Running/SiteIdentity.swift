// SPDX-License-Identifier: Apache-2.0

import CascadeService
import Glibc

/// The machine as a gate learns it.
struct SiteIdentity {
    /// A hash of the boot, the machine and its name: two processes of one machine have the same, two
    /// machines never do.
    let instance: String
    let host: String

    private static let fileByteCountMax = 4_096

    /// The identity of this machine, now.
    init() {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = String(
            decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let parts = [
            Self.read("/proc/sys/kernel/random/boot_id"), Self.read("/etc/machine-id"), host,
        ]
        instance = Fingerprint.of(parts.joined(separator: "\n"))
        self.host = host
    }

    private static func read(_ path: String) -> String {
        (try? TextFile.read(path, byteCountMax: fileByteCountMax)) ?? ""
    }
}
