// SPDX-License-Identifier: Apache-2.0

/// Reads the file of authorized keys.
enum KeyFiles {
    static func read(_ path: String) throws(KeyFileError) -> AuthorizedKeys {
        let text: String
        do throws(GuardedFileError) {
            text = try GuardedFile.read(path)
        } catch {
            throw KeyFileError("the authorized keys cannot be read: \(error)")
        }
        return try AuthorizedKeys(text, file: path)
    }
}
