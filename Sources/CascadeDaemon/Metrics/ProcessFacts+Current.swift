// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeService
import Glibc
import ZeroMQ

extension ProcessFacts {
    /// The kernel's figures of this process now.
    static func current(startMicroseconds: UInt64) -> ProcessFacts {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let pageBytes = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        let pages = pages()
        return ProcessFacts(
            processorMicroseconds: microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
            residentBytes: pages.resident * pageBytes, virtualBytes: pages.virtual * pageBytes,
            openFiles: UInt64(Folder.names(in: "/proc/self/fd")?.count ?? 0).subtractingDots,
            openFilesMax: UInt64(limit.rlim_cur), startMicroseconds: startMicroseconds)
    }

    /// The current time, in microseconds since 1970; called once when the process starts.
    static func startMicroseconds() -> UInt64 {
        RealtimeClock.now() / 1_000
    }

    private static func microseconds(_ time: timeval) -> UInt64 {
        UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_usec)
    }

    /// Resident memory that is shared with no file and no other process, in bytes.
    static func residentPrivateBytes() -> UInt64 {
        let pages = pages()
        return (pages.resident - min(pages.resident, pages.shared)) * UInt64(getpagesize())
    }

    private static func pages() -> (virtual: UInt64, resident: UInt64, shared: UInt64) {
        let text = (try? TextFile.read("/proc/self/statm", byteCountMax: 4096)) ?? ""
        let numbers = text.split(separator: " ").prefix(3).map { UInt64($0) ?? 0 }
        return numbers.count == 3 ? (numbers[0], numbers[1], numbers[2]) : (0, 0, 0)
    }
}

extension UInt64 {
    /// Without `.`, `..` and the descriptor that reads the folder.
    fileprivate var subtractingDots: UInt64 {
        self - Swift.min(self, 3)
    }
}
