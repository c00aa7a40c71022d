// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc

/// Reads rule files, which only root and the daemon's user may write: a rule decides what nodes of
/// all users read.
enum RuleFiles {
    /// The folder that is read without configured paths.
    static let defaultFolder = "/etc/cascade/rules.d"

    /// Reads the files of `paths` in their order; of a folder the files that end in `.rules`, by
    /// name. Without paths, reads the default folder if it exists.
    static func read(_ paths: [String]) throws(RuleFilesError) -> [RuleModelFile] {
        guard !paths.isEmpty else {
            return access(defaultFolder, F_OK) == 0 || errno != ENOENT
                ? try read(path: defaultFolder) : []
        }
        var files: [RuleModelFile] = []
        for path in paths {
            files += try read(path: path)
        }
        return files
    }

    private static func read(path: String) throws(RuleFilesError) -> [RuleModelFile] {
        // The usual way to say that nothing is to be read.
        guard path != "/dev/null" else {
            return []
        }
        do throws(GuardedFileError) {
            guard let names = try GuardedFile.names(inFolder: path, endingIn: ".rules") else {
                return [try read(file: path)]
            }
            var files: [RuleModelFile] = []
            for name in names {
                files.append(try read(file: "\(path)/\(name)"))
            }
            return files
        } catch {
            throw RuleFilesError(error)
        }
    }

    private static func read(file: String) throws(GuardedFileError) -> RuleModelFile {
        RuleModelFile(file: file, text: try GuardedFile.read(file))
    }
}
