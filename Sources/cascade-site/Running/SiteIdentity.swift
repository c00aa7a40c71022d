// SPDX-License-Identifier: Apache-2.0

import CSodium
import CascadeService
import Glibc

/// The machine as a gate learns it.
struct SiteIdentity {
    /// A hash of the boot, the machine and its name: two processes of one machine have the same, two
    /// machines never do.
    let instance: String
    let host: String

    private static let hashByteCount = 16
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
        let bytes = Array(parts.joined(separator: "\n").utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        instance = hash.prefix(Self.hashByteCount).map { Self.digits($0) }.joined()
        self.host = host
    }

    private static func read(_ path: String) -> String {
        (try? TextFile.read(path, byteCountMax: fileByteCountMax)) ?? ""
    }

    private static func digits(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0\(digits)" : digits
    }
}
