// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A file or standard input that is read as a whole.
struct InputFile {
    private let path: String?

    static let standardInput = InputFile(path: nil)

    private init(path: String?) {
        self.path = path
    }

    init(path: String) {
        self.path = path
    }

    /// Reads all bytes. Throws ``Stop`` on failure.
    func read() throws -> [UInt8] {
        guard let path else {
            return try read(STDIN_FILENO, of: "standard input")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw failure(path)
        }
        defer { close(descriptor) }
        return try read(descriptor, of: path)
    }

    private func read(_ descriptor: Int32, of name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 {
                return bytes
            }
            if count > 0 {
                bytes.append(contentsOf: buffer.prefix(count))
            } else if errno != EINTR {
                throw failure(name)
            }
        }
    }

    private func failure(_ name: String) -> Stop {
        Stop(.badData, "cannot read \(name): \(ErrorNumber(errno))")
    }
}

extension Stop {
    /// Returns the error for a file that a command cannot create.
    static func cannotCreate(_ file: String, _ code: Int32) -> Stop {
        Stop(
            .failure,
            code == EEXIST
                ? "'\(file)' exists and is not overwritten; choose another file"
                : "cannot create '\(file)': \(ErrorNumber(code))")
    }
}

/// The canonical paths of files, for comparison.
enum RealPath {
    /// Returns the absolute path without symbolic links; `nil` if the file does not exist.
    static func of(_ name: String) -> String? {
        guard let path = realpath(name, nil) else {
            return nil
        }
        defer { free(path) }
        return String(cString: path)
    }
}
