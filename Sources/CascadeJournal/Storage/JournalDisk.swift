// SPDX-License-Identifier: Apache-2.0

/// A folder of files, as far as the journal needs one. What was written may be lost until it is
/// synced; a file that was made or renamed, until the folder is.
package protocol JournalDisk {
    /// Bytes of the disk that the folder is on, taken or not.
    var totalByteCount: Int { get }
    func fileNames() throws(JournalError) -> [String]
    func read(_ name: String) throws(JournalError) -> [UInt8]
    func read(_ name: String, at offset: Int, byteCount: Int) throws(JournalError) -> [UInt8]
    mutating func create(_ name: String) throws(JournalError)
    mutating func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(JournalError)
    /// After a failure nobody knows what of the file is on disk, whatever a later sync says.
    mutating func sync(_ name: String) throws(JournalError)
    mutating func truncate(_ name: String, to byteCount: Int) throws(JournalError)
    mutating func remove(_ name: String) throws(JournalError)
    mutating func rename(_ name: String, to newName: String) throws(JournalError)
    /// Makes a file that takes so many bytes of the disk, whatever it holds, or finds it there.
    mutating func allocate(_ name: String, byteCount: Int) throws(JournalError)
    mutating func syncFolder() throws(JournalError)
}
