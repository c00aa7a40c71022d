// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc

/// Reads the files of rules that a daemon was told of.
enum RuleFiles {
    /// Where rules stand if nobody says otherwise.
    static let defaultFolder = "/etc/cascade/rules.d"
    private static let byteCountMax = 16 << 20

    /// The files of `paths` in their order; of a folder those that end in `.rules`, by name. With
    /// no paths the default folder, if it is there.
    static func read(_ paths: [String]) throws(RuleFilesError) -> [RuleModelFile] {
        guard !paths.isEmpty else {
            return access(defaultFolder, F_OK) == 0 ? try read(path: defaultFolder) : []
        }
        var files: [RuleModelFile] = []
        for path in paths {
            files += try read(path: path)
        }
        return files
    }

    private static func read(path: String) throws(RuleFilesError) -> [RuleModelFile] {
        guard let names = names(inFolder: path) else {
            return [try read(file: path)]
        }
        var files: [RuleModelFile] = []
        for name in names.filter({ $0.hasSuffix(".rules") }).sorted() {
            files.append(try read(file: "\(path)/\(name)"))
        }
        return files
    }

    /// What is in a folder; `nil` if the path is none.
    private static func names(inFolder path: String) -> [String]? {
        guard let folder = opendir(path) else {
            return nil
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    private static func read(file: String) throws(RuleFilesError) -> RuleModelFile {
        guard let stream = fopen(file, "re") else {
            throw RuleFilesError(file, String(cString: strerror(errno)))
        }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 1, part.count, stream)
            bytes += part[..<count]
            guard ferror(stream) == 0 else {
                throw RuleFilesError(file, String(cString: strerror(errno)))
            }
            guard bytes.count <= byteCountMax else {
                throw RuleFilesError(file, "more than \(byteCountMax) bytes")
            }
            if count == 0 {
                break
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RuleFilesError(file, "it is no UTF-8")
        }
        return RuleModelFile(file: file, text: text)
    }
}
