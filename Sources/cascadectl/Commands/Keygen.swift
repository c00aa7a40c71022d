// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON
import CascadeWire
import Glibc
import ZeroMQ

/// Creates a key pair.
struct Keygen: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create a key pair for a bus or a remote worker.",
        discussion: """
            Both keys are written to a new file with mode 0600. The name and the public key are \
            printed as a line for a bus's file of authorized keys. Workers need the public key of \
            a bus in CASCADE_SERVER_KEY.

            Example: cascadectl keygen worker.key
            """)

    @OptionGroup var output: PlainOutputOptions

    @Argument(help: "File to create; an existing file is refused.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Name of the key in policies. (default: that of the file, without its extension)",
            valueName: "name"))
    var name: String?

    func run() throws {
        let name = name ?? Self.name(of: file)
        guard KeyName.isValid(name) else {
            throw Stop(
                .usage,
                "'\(name.escapedForDisplay())' is not the name of a key: \(KeyName.rule); choose one by --name"
            )
        }
        let pair = try CurveKeyPair()
        try write("# The key of \(name). Keep it secret.\n" + pair.fileText)
        try output.conclude(
            KeyDocument(name: name, publicKey: pair.publicKey, file: file))
    }

    /// Returns the name of a file without its folder and extension.
    private static func name(of file: String) -> String {
        let last = file.split(separator: "/").last.map(String.init) ?? file
        return last.lastIndex(of: ".").map { String(last[..<$0]) }.flatMap { $0.isEmpty ? nil : $0 }
            ?? last
    }

    /// Creates the file. Throws ``Stop`` if it exists or cannot be written.
    private func write(_ text: String) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Stop.cannotCreate(file, errno)
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
        else {
            let reason = ErrorNumber(errno)
            unlink(file)
            throw Stop(.failure, "cannot write '\(file)': \(reason)")
        }
    }
}

/// A new key pair: the public key, and the file with both.
struct KeyDocument: Document {
    let name: String
    let publicKey: String
    let file: String

    var json: JSONValue {
        .document(
            "keygen",
            ["name": .string(name), "public": .string(publicKey), "file": .string(file)])
    }

    func text(_ style: Style) -> String {
        "\(name) \(publicKey)".safeForTerminal
    }
}
