// SPDX-License-Identifier: Apache-2.0

import CascadeJournal

/// A disk in memory with the given files. It never fails.
struct FuzzedDisk: JournalDisk {
    private(set) var files: [String: [UInt8]]

    init(_ files: [String: [UInt8]]) {
        self.files = files
    }

    var totalByteCount: Int { .max }

    func fileNames() throws(JournalError) -> [String] {
        Array(files.keys)
    }

    func read(_ name: String) throws(JournalError) -> [UInt8] {
        guard let bytes = files[name] else {
            throw JournalError("the file \(name) does not exist")
        }
        return bytes
    }

    func read(_ name: String, at offset: Int, byteCount: Int) throws(JournalError) -> [UInt8] {
        Array(try read(name).dropFirst(offset).prefix(byteCount))
    }

    mutating func create(_ name: String) throws(JournalError) {
        files[name] = []
    }

    mutating func write(
        _ bytes: [UInt8], to name: String, at offset: Int
    ) throws(JournalError) {
        var file = try read(name)
        precondition(file.count == offset, "bytes are skipped or overwritten")
        file += bytes
        files[name] = file
    }

    mutating func truncate(_ name: String, to byteCount: Int) throws(JournalError) {
        files[name] = Array(try read(name).prefix(byteCount))
    }

    mutating func remove(_ name: String) throws(JournalError) {
        files[name] = nil
    }

    mutating func rename(_ name: String, to newName: String) throws(JournalError) {
        files[newName] = files.removeValue(forKey: name)
    }

    mutating func sync(_ name: String) throws(JournalError) {}

    mutating func allocate(_ name: String, byteCount: Int) throws(JournalError) {}

    mutating func syncFolder() throws(JournalError) {}
}
