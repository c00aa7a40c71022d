// SPDX-License-Identifier: Apache-2.0

package import CascadeExpressions
import Glibc

/// Reads text files of bounded size.
package enum TextFile {
    /// Whether there is such a file, even if it cannot be reached.
    package static func isThere(_ path: String) -> Bool {
        access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    package static func read(_ path: String, byteCountMax: Int) throws(TextFileError) -> String {
        try text(readBytes(path, byteCountMax: byteCountMax))
    }

    /// Reads the rest of an open file.
    package static func read(_ descriptor: Int32, byteCountMax: Int) throws(TextFileError) -> String
    {
        try text(readBytes(descriptor, byteCountMax: byteCountMax))
    }

    private static func text(_ bytes: [UInt8]) throws(TextFileError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TextFileError(notUTF8: bytes)
        }
        return text
    }

    /// Reads a file that may not be text.
    package static func readBytes(
        _ path: String, byteCountMax: Int
    ) throws(TextFileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TextFileError(errorNumber: errno)
        }
        defer { close(descriptor) }
        return try readBytes(descriptor, byteCountMax: byteCountMax)
    }

    /// Reads the rest of an open file that may not be text.
    package static func readBytes(
        _ descriptor: Int32, byteCountMax: Int
    ) throws(TextFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count >= 0 || errno == EINTR else {
                throw TextFileError(errorNumber: errno)
            }
            guard count != 0 else {
                break
            }
            bytes += part[..<max(count, 0)]
            guard bytes.count <= byteCountMax else {
                throw TextFileError(reason: "it has more than \(byteCountMax) bytes")
            }
        }
        return bytes
    }
}

/// The reason why a file cannot be read as text.
package struct TextFileError: Error {
    package let reason: String
    /// The error of a system call; `nil` for a file whose content is refused.
    package let errorNumber: Int32?
    /// The place of the first fault; `nil` if the file could not be read to its end.
    package let fault: ExpressionError?

    init(errorNumber: Int32) {
        reason = String(cString: strerror(errorNumber))
        self.errorNumber = errorNumber
        fault = nil
    }

    init(reason: String) {
        self.reason = reason
        errorNumber = nil
        fault = nil
    }

    init(notUTF8 bytes: [UInt8]) {
        errorNumber = nil
        fault = ExpressionError(notUTF8: bytes)
        let place = fault.map { " (line \($0.line), column \($0.column))" }
        reason = "it is not UTF-8" + (place ?? "")
    }
}

extension SettingFault {
    /// Creates the fault of a file that cannot be read as text.
    package init(reading file: String, _ error: TextFileError) {
        guard let fault = error.fault else {
            self.init(nil, "cannot read \(file): \(error.reason)")
            return
        }
        self.init(.file(file, line: fault.line, column: fault.column), fault.message)
    }
}

/// Reads folders.
package enum Folder {
    /// The names in a folder, unordered; `nil` if the folder cannot be read.
    package static func names(in path: String) -> [String]? {
        guard let folder = opendir(path) else {
            return nil
        }
        defer { closedir(folder) }
        return names(in: folder)
    }

    /// The names in an open folder, unordered; `nil` if it cannot be read to its end, with the
    /// reason in errno.
    package static func names(in folder: OpaquePointer) -> [String]? {
        var names: [String] = []
        while true {
            // readdir(3) returns NULL for an error, too, and changes errno only then.
            errno = 0
            guard let entry = readdir(folder) else {
                return errno == 0 ? names : nil
            }
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
    }
}
