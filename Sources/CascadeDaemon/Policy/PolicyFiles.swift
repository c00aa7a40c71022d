// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import Glibc

/// Reads policy files: all of them, or none.
struct PolicyFiles: Sendable {
    /// The folder that is read without configured paths.
    static let defaultFolder = "/etc/cascade/policy.d"

    /// Files, and folders of them; empty for the default folder.
    let paths: [String]

    /// Reads the files of the paths in their order; of a folder the files that end in `.policy`, by
    /// name. Only the default folder may contain no file.
    ///
    /// - Parameter hadFiles: whether the policy in force was read from files. If so, their complete
    ///   absence is an error: it is rather a mistake than a wish for the default policy.
    func read(hadFiles: Bool) throws(GuardedFileError) -> [PolicyFile] {
        let texts = try texts()
        guard !texts.isEmpty || (paths.isEmpty && !hadFiles) else {
            let places = paths.isEmpty ? [Self.defaultFolder] : paths
            throw GuardedFileError(places.joined(separator: ", "), "no file ends in .policy")
        }
        return try Self.parse(texts)
    }

    private func texts() throws(GuardedFileError) -> [(file: String, text: String)] {
        guard !paths.isEmpty else {
            return access(Self.defaultFolder, F_OK) == 0 || errno != ENOENT
                ? try Self.texts(Self.defaultFolder) : []
        }
        var texts: [(file: String, text: String)] = []
        for path in paths {
            texts += try Self.texts(path)
        }
        return texts
    }

    private static func texts(
        _ path: String
    ) throws(GuardedFileError) -> [(file: String, text: String)] {
        guard let names = try GuardedFile.names(inFolder: path, endingIn: ".policy") else {
            return [(path, try GuardedFile.read(path))]
        }
        var texts: [(file: String, text: String)] = []
        for name in names {
            let file = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            texts.append((file, try GuardedFile.read(file)))
        }
        return texts
    }

    private static func parse(
        _ texts: [(file: String, text: String)]
    ) throws(GuardedFileError) -> [PolicyFile] {
        let names = PolicyNames(userID: userID, groupID: { groupID($0) })
        var files: [PolicyFile] = []
        for (file, text) in texts {
            do throws(PolicyError) {
                files.append(try PolicyFile(text, file: file, names: names))
            } catch {
                let position = error.position
                let place = "\(position.file):\(position.line):\(position.column)"
                throw GuardedFileError(place, error.message)
            }
        }
        return files
    }

    // MARK: - Names

    private static func userID(_ name: String) -> UInt32? {
        var room = [CChar](repeating: 0, count: 16_384)
        while true {
            var record = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let fault = getpwnam_r(name, &record, &room, room.count, &found)
            guard isWorthRepeating(fault, &room) else {
                return found.map { $0.pointee.pw_uid }
            }
        }
    }

    /// - Parameter byteCount: the room for a group and the names of its members, to begin with.
    static func groupID(_ name: String, byteCount: Int = 1 << 16) -> UInt32? {
        var room = [CChar](repeating: 0, count: byteCount)
        while true {
            var record = group()
            var found: UnsafeMutablePointer<group>?
            let fault = getgrnam_r(name, &record, &room, room.count, &found)
            guard isWorthRepeating(fault, &room) else {
                return found.map { $0.pointee.gr_gid }
            }
        }
    }

    private static let nameByteCountMax = 1 << 26

    /// Whether a lookup was interrupted, or gets more room now: a group may have any number of
    /// members.
    private static func isWorthRepeating(_ fault: Int32, _ room: inout [CChar]) -> Bool {
        guard fault == ERANGE, room.count < nameByteCountMax else {
            return fault == EINTR
        }
        room = [CChar](repeating: 0, count: 2 * room.count)
        return true
    }
}

extension DefaultPolicy {
    /// The default policy of a bus that this process serves at these endpoints. The endpoints must
    /// be bound: the policy uses the group of the first socket file.
    init(servedAt endpoints: [String]) {
        let scheme = "ipc://"
        var status = stat()
        let path = endpoints.first { $0.hasPrefix(scheme) }?.dropFirst(scheme.count)
        let isThere = path.map { stat(String($0), &status) == 0 } ?? false
        self.init(userID: geteuid(), groupID: isThere ? status.st_gid : nil)
    }
}
