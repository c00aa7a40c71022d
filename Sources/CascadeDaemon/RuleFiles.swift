// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc

/// Reads rule files.
enum RuleFiles {
    /// The folder that is read without configured paths.
    static let defaultFolder = "/etc/cascade/rules.d"
    private static let byteCountMax = 16 << 20

    /// Reads the files of `paths` in their order; of a folder the files that end in `.rules`, by
    /// name. Without paths, reads the default folder if it exists.
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
        guard let names = Folder.names(in: path) else {
            return [try read(file: path)]
        }
        var files: [RuleModelFile] = []
        for name in names.filter({ $0.hasSuffix(".rules") }).sorted() {
            files.append(try read(file: "\(path)/\(name)"))
        }
        return files
    }

    private static func read(file: String) throws(RuleFilesError) -> RuleModelFile {
        do throws(TextFileError) {
            let text = try TextFile.read(file, byteCountMax: byteCountMax)
            return RuleModelFile(file: file, text: text)
        } catch {
            throw RuleFilesError(file, error.reason)
        }
    }
}
