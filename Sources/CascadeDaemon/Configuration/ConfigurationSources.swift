// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
package import CascadeService
import Glibc

/// The sources of a configuration, read at the start and again at each reload.
package struct ConfigurationSources: Sendable {
    /// The only file to read; `nil` to read the folders.
    package var file: String?
    /// The environment variables that the daemon was started with.
    package var environment: [String: String]
    /// Settings that replace the daemon's own defaults.
    package var defaults: [PlacedSetting] = []
    /// Settings of the command line.
    package var flags: [PlacedSetting]
    /// Folders with a `cascaded.yaml` and a `cascaded.d`; later folders override earlier ones.
    package var folders: [String]

    /// The folders of the system's daemon.
    package static let systemFolders = ["/usr/lib/cascade", "/etc/cascade"]

    package init(
        file: String? = nil, folders: [String] = systemFolders,
        environment: [String: String] = [:], flags: [PlacedSetting] = []
    ) {
        self.file = file
        self.folders = folders
        self.environment = environment
        self.flags = flags
    }

    /// The files in the order in which they are read: those of the folders, then the drop-ins of
    /// all folders by name. A drop-in replaces one of the same name in an earlier folder.
    ///
    /// Throws ``ConfigurationError`` if a folder of drop-ins exists and cannot be listed.
    func files() throws(ConfigurationError) -> [String] {
        if let file {
            return [file]
        }
        var dropIns: [String: String] = [:]
        for folder in folders {
            for name in try Self.dropIns(in: folder + "/cascaded.d")
            where name.hasSuffix(".yaml") && !name.hasPrefix(".") {
                dropIns[name] = "\(folder)/cascaded.d/\(name)"
            }
        }
        let main = folders.map { $0 + "/cascaded.yaml" }.filter(TextFile.isThere)
        return main + dropIns.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func dropIns(in folder: String) throws(ConfigurationError) -> [String] {
        if let names = Folder.names(in: folder) {
            return names
        }
        guard errno == ENOENT else {
            let reason = String(cString: strerror(errno))
            throw ConfigurationError(
                .configuration, "the folder '\(folder)' cannot be read: \(reason)")
        }
        return []
    }
}
