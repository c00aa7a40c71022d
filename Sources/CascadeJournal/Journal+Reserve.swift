// SPDX-License-Identifier: Apache-2.0

/// The reserve: disk space that is allocated in advance and released when the disk is full, so that the
/// ends of accepted events can still be written.
extension Journal {
    private static var reserveName: String { "reserve" }

    /// Appends the changes. Changes that begin an event are refused without the whole reserve; changes
    /// that end an event may use its space.
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
            try beginSegment()
            try append(changes)
        }
    }

    /// Begins a new file. Releases the reserve if the disk is full.
    mutating func beginSegmentWithReserve() throws(JournalError) {
        do throws(JournalError) {
            try beginSegment()
        } catch {
            guard error.isDiskFull else {
                throw error
            }
            releaseReserve(error)
            try beginSegment()
        }
    }

    /// Allocates the whole reserve if it was released. Allocates no part of it: the space that is left
    /// is for changes that end events.
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
