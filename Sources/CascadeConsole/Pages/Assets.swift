// SPDX-License-Identifier: Apache-2.0

import CConsoleAssets
import CascadeService

/// The files of the page. All but the page itself have an address that changes with their content, so
/// that browsers keep them for ever.
struct Assets: Sendable {
    private let files: [String: Response]

    /// Takes the files that are part of the program.
    init() {
        var files: [String: [UInt8]] = [:]
        for index in 0..<Int(cascade_console_asset_count()) {
            let asset = cascade_console_asset(CUnsignedLong(index))
            files[String(cString: asset.name)] = Array(
                UnsafeBufferPointer(start: asset.bytes, count: Int(asset.byte_count)))
        }
        self.init(files)
    }

    /// Reads the files of a directory instead, for work on the page.
    init(directory: String) {
        var files: [String: [UInt8]] = [:]
        for name in Assets.names {
            files[name] = try? TextFile.readBytes("\(directory)/\(name)", byteCountMax: 1 << 20)
        }
        self.init(files)
    }

    private static var names: [String] {
        (0..<Int(cascade_console_asset_count())).map {
            String(cString: cascade_console_asset(CUnsignedLong($0)).name)
        }
    }

    private init(_ contents: [String: [UInt8]]) {
        let hash = Self.hash(contents)
        var files: [String: Response] = [:]
        for (name, bytes) in contents {
            if name == Self.page {
                // The page names its parts by the folder HASH.
                let text = String(decoding: bytes, as: UTF8.self)
                let parts = text.split(separator: "HASH/", omittingEmptySubsequences: false)
                files["/"] = Response(
                    type: "text/html; charset=utf-8", isImmutable: false,
                    body: Array(parts.joined(separator: "\(hash)/").utf8))
            } else {
                files["/\(hash)/\(name)"] = Response(
                    type: Self.type(of: name), isImmutable: true, body: Self.lean(bytes))
            }
        }
        self.files = files
    }

    private static let page = "index.html"

    private static func type(of name: String) -> String {
        if name.hasSuffix(".css") {
            "text/css; charset=utf-8"
        } else if name.hasSuffix(".svg") {
            "image/svg+xml"
        } else {
            "text/javascript; charset=utf-8"
        }
    }

    /// Returns a file without what only those need who read its source: indentation, and the comments that are
    /// lines of their own, but for the licence in the first line. Each line stays, so that its number in a message
    /// about an error is that of the source.
    private static func lean(_ bytes: [UInt8]) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for line in bytes.split(separator: newline, omittingEmptySubsequences: false) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            let isComment =
                text.starts(with: "//".utf8)
                || text.starts(with: "/*".utf8) && text.suffix(2).elementsEqual("*/".utf8)
            if !isComment || line.startIndex == 0 {
                result += text
            }
            result.append(newline)
        }
        result.removeLast()
        return result
    }

    /// Returns 64 bits of FNV-1a over all files: it tells two releases apart, and protects nothing.
    private static func hash(_ contents: [String: [UInt8]]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
            for byte in Array(name.utf8) + bytes {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
        }
        return String(hash, radix: 16)
    }

    subscript(path: String) -> Response? {
        files[path]
    }
}
