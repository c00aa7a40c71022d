// SPDX-License-Identifier: Apache-2.0

/// The reserve: bytes of the disk that are taken beforehand, and given up where the disk is full,
/// so that events that were accepted can end.
extension Journal {
    private static var reserveName: String { "reserve" }

    /// Appends the changes. What begins an event needs the reserve to be there, and what ends one
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
            giveUpReserve(error)
        }
        do throws(JournalError) {
            try append(changes)
        } catch {
            guard error.isDiskFull else {
                throw error
            }
            // The file may be large, and little of it may count.
            try beginAnew()
            try append(changes)
        }
    }

    /// Begins a new file, with the reserve's bytes where there are no others.
    mutating func beginAnewWithReserve() throws(JournalError) {
        do throws(JournalError) {
            try beginAnew()
        } catch {
            guard error.isDiskFull else {
                throw error
            }
            giveUpReserve(error)
            try beginAnew()
        }
    }

    /// Takes the reserve, all of it: what is left of one that was given up is for what ends events.
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

    private mutating func giveUpReserve(_ error: JournalError) {
        try? disk.remove(Self.reserveName)
        hasReserve = false
        reserveFault = error.description
        compactionByteCount = min(compactionByteCount, 2 * liveByteCount + slack)
    }
}
