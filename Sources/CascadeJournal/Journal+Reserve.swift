// SPDX-License-Identifier: Apache-2.0

/// The reserve: disk space that is allocated in advance and released when the disk is full, so that
/// accepted events can still end.
extension Journal {
    private static var reserveName: String { "reserve" }

    /// Appends the changes. Changes that begin an event require the reserve; changes that end one
    /// may use it up.
    mutating func appendWithReserve(_ changes: [JournalChange]) throws(JournalError) {
        guard changes.allSatisfy(\.mayUseReserve) else {
            try restoreReserve()
            try append(changes)
            return
        }
        do throws(JournalError) {
            try append(changes)
            return
        } catch {
            guard error.isDiskFull else {
                throw error
            }
            releaseReserve(error)
        }
        do throws(JournalError) {
            try append(changes)
        } catch {
            guard error.isDiskFull else {
                throw error
            }
            // A new file may be much smaller than this one.
            try beginAnew()
            try append(changes)
        }
    }

    /// Begins a new file, and releases the reserve if the disk is full.
    mutating func beginAnewWithReserve() throws(JournalError) {
        do throws(JournalError) {
            try beginAnew()
        } catch {
            guard error.isDiskFull else {
                throw error
            }
            releaseReserve(error)
            try beginAnew()
        }
    }

    /// Allocates the whole reserve, unless it is there. The rest of a released reserve is left for
    /// changes that end events.
    mutating func restoreReserve() throws(JournalError) {
        guard !hasReserve else {
            return
        }
        let byteCount = min(reserveByteCountMax, disk.totalByteCount / 4)
        do throws(JournalError) {
            try disk.allocate(Self.reserveName, byteCount: byteCount)
        } catch {
            reserveFault = error.description
            throw error
        }
        hasReserve = true
        reserveFault = nil
    }

    private mutating func releaseReserve(_ error: JournalError) {
        try? disk.remove(Self.reserveName)
        hasReserve = false
        reserveFault = error.description
        compactionByteCount = min(compactionByteCount, 2 * liveByteCount + slack)
    }
}
