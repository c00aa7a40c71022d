// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The resident memory of processes on this machine.
enum ResidentMemory {
    /// Returns the number of bytes; `nil` if there is no such process.
    static func byteCount(of processID: UInt32) -> UInt64? {
        guard let file = fopen("/proc/\(processID)/statm", "re") else {
            return nil
        }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else {
            return nil
        }
        let text = String(decoding: buffer.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        return fields.dropFirst().first.flatMap { UInt64($0) }.map {
            $0 * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
}
