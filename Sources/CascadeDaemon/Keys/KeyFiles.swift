// SPDX-License-Identifier: Apache-2.0

/// Reads the file of the keys that may come in.
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
