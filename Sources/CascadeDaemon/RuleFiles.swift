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
