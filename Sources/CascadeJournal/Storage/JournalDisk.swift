// SPDX-License-Identifier: Apache-2.0

/// The operations that the journal performs on a folder. Writes may be lost until the file is synced,
/// and created, renamed and removed files until the folder is synced.
package protocol JournalDisk {
    /// The size of the disk that contains the folder, in bytes.
    var totalByteCount: Int { get }
    func fileNames() throws(JournalError) -> [String]
    /// Returns the content of a whole file.
    func read(_ name: String) throws(JournalError) -> [UInt8]
    /// Returns `byteCount` bytes from `offset`, or fewer at the end of the file.
    func read(_ name: String, at offset: Int, byteCount: Int) throws(JournalError) -> [UInt8]
    /// Creates an empty file. Throws if it exists.
    mutating func create(_ name: String) throws(JournalError)
    mutating func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(JournalError)
    /// Syncs a file. After a failure the content on disk is unknown, even if a later sync succeeds.
    mutating func sync(_ name: String) throws(JournalError)
    mutating func truncate(_ name: String, to byteCount: Int) throws(JournalError)
    mutating func remove(_ name: String) throws(JournalError)
    mutating func rename(_ name: String, to newName: String) throws(JournalError)
    /// Allocates disk space for a file with any content, which is created if necessary.
    mutating func allocate(_ name: String, byteCount: Int) throws(JournalError)
    mutating func syncFolder() throws(JournalError)
}

/// The owner and the permissions of a file or folder.
package struct FileOwnership: Sendable {
    package var userID: UInt32
    package var groupID: UInt32
    /// The permissions, as in stat(2).
    package var mode: UInt32

    package init(userID: UInt32, groupID: UInt32, mode: UInt32) {
        self.userID = userID
        self.groupID = groupID
        self.mode = mode
    }
}
