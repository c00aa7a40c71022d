// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeSimulator

/// The simulated disk behind the journal's interface.
struct SimulatedFolder: JournalDisk {
    var disk = SimulatedDisk()
    var totalByteCount = Int.max

    func fileNames() throws(JournalError) -> [String] {
        disk.names
    }

    func read(_ name: String) throws(JournalError) -> [UInt8] {
        try attempt { () throws(SimulatedDisk.Fault) in try disk.read(name) }
    }

    func read(_ name: String, at offset: Int, byteCount: Int) throws(JournalError) -> [UInt8] {
        let bytes = try read(name)
        return Array(bytes.dropFirst(offset).prefix(byteCount))
    }

    mutating func create(_ name: String) throws(JournalError) {
        try attempt { () throws(SimulatedDisk.Fault) in try disk.create(name) }
    }

    mutating func write(
        _ bytes: [UInt8], to name: String, at offset: Int
    ) throws(JournalError) {
        try attempt { () throws(SimulatedDisk.Fault) in
            try disk.write(bytes, to: name, at: offset)
        }
    }

    mutating func sync(_ name: String) throws(JournalError) {
        try attempt { () throws(SimulatedDisk.Fault) in try disk.sync(name) }
    }

    mutating func truncate(_ name: String, to byteCount: Int) throws(JournalError) {
        try attempt { () throws(SimulatedDisk.Fault) in try disk.truncate(name, to: byteCount) }
    }

    mutating func remove(_ name: String) throws(JournalError) {
        try attempt { () throws(SimulatedDisk.Fault) in try disk.remove(name) }
    }

    mutating func rename(_ name: String, to newName: String) throws(JournalError) {
        try attempt { () throws(SimulatedDisk.Fault) in try disk.rename(name, to: newName) }
    }

    mutating func allocate(_ name: String, byteCount: Int) throws(JournalError) {
        try attempt { () throws(SimulatedDisk.Fault) in
            try disk.allocate(name, byteCount: byteCount)
        }
    }

    mutating func syncFolder() throws(JournalError) {}

    private func attempt<Result>(
        _ body: () throws(SimulatedDisk.Fault) -> Result
    ) throws(JournalError) -> Result {
        do throws(SimulatedDisk.Fault) {
            return try body()
        } catch {
            throw JournalError("\(error)", isDiskFull: error == .full)
        }
    }
}
