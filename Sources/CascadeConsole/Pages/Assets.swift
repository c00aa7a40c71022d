// SPDX-License-Identifier: Apache-2.0

import CConsoleAssets
import CascadeService

/// The files of the page. All but the page itself have an address that changes with their content, so
/// that browsers keep them for ever.
struct Assets: Sendable {
    private struct File {
        let type: String
        let bytes: [UInt8]
    }

    private let files: [String: File]

    /// Takes the files that are part of the program.
    init() {
        var files: [String: [UInt8]] = [:]
        for index in 0..<Int(cascade_console_asset_count()) {
            let asset = cascade_console_asset(CUnsignedLong(index))
            files[String(cString: asset.name)] = Array(
                UnsafeBufferPointer(start: asset.bytes, count: Int(asset.byte_count)))
        }
        // A page that loads each module by itself is painted later.
        let bundle = ScriptBundle(files, from: Self.script)
        files = files.filter { !$0.key.hasSuffix(".js") }
        files[Self.script] = Array(bundle.text.utf8)
        self.init(files, isBundled: true)
    }

    /// Reads the files of a directory instead, for work on the page. Each module is a file of its own there.
    init(directory: String) {
        var files: [String: [UInt8]] = [:]
        for name in Assets.names {
            files[name] = try? TextFile.readBytes("\(directory)/\(name)", byteCountMax: 1 << 20)
        }
        self.init(files, isBundled: false)
    }

    private static var names: [String] {
        (0..<Int(cascade_console_asset_count())).map {
            String(cString: cascade_console_asset(CUnsignedLong($0)).name)
        }
    }

    private init(_ contents: [String: [UInt8]], isBundled: Bool) {
        let hash = Self.hash(contents)
        var files: [String: File] = [:]
        for (name, bytes) in contents {
            if name == Self.page {
                // The page names its parts by the folder HASH.
                let text = String(decoding: bytes, as: UTF8.self)
                let parts = text.split(separator: "HASH/", omittingEmptySubsequences: false)
                files["/"] = File(
                    type: "text/html; charset=utf-8",
                    bytes: LeanText.lean(Array(parts.joined(separator: "\(hash)/").utf8), .page))
            } else if name.hasSuffix(".css") {
                files["/\(hash)/\(name)"] = File(
                    type: "text/css; charset=utf-8", bytes: LeanText.lean(bytes, .style))
            } else if name.hasSuffix(".svg") {
                files["/\(hash)/\(name)"] = File(type: "image/svg+xml", bytes: bytes)
            } else {
                let lean = LeanText.lean(bytes, .script)
                files["/\(hash)/\(name)"] = File(
                    type: "text/javascript; charset=utf-8",
                    bytes: isBundled ? LeanText.joined(lean) : lean)
            }
        }
        self.files = files
    }

    private static let page = "index.html"
    private static let script = "main.js"

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
        files[path].map { file in
            Response(type: file.type, isImmutable: path != "/", body: file.bytes)
        }
    }
}
