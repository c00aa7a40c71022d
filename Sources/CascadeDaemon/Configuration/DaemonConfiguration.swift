// SPDX-License-Identifier: Apache-2.0

/// The settings of a daemon, merged from defaults, files, variables and flags. Each of these
/// overrides those before it.
package struct DaemonConfiguration: Sendable {
    /// The values of all settings.
    package let options: DaemonOptions
    /// The origin of each setting that does not have its default, by key.
    package let origins: [String: SettingOrigin]

    /// Reads and merges the sources. Throws ``ConfigurationError`` with all faults.
    package init(reading sources: ConfigurationSources) throws(ConfigurationError) {
        var layers = [ConfigurationLayer(flags: sources.defaults)]
        for file in try sources.files() {
            layers.append(ConfigurationLayer(file: file))
        }
        layers.append(ConfigurationLayer(environment: sources.environment))
        layers.append(ConfigurationLayer(flags: sources.flags))
        try self.init(checking: layers)
    }

    /// Reads the text of one file, and defaults for the rest. Throws ``ConfigurationError`` with
    /// all faults.
    ///
    /// - Parameter file: the name of the text in faults and origins.
    package init(text: String, file: String) throws(ConfigurationError) {
        try self.init(checking: [ConfigurationLayer(text: text, file: file)])
    }

    private init(checking layers: [ConfigurationLayer]) throws(ConfigurationError) {
        let faults = layers.flatMap(\.faults)
        guard faults.isEmpty else {
            throw ConfigurationError(faults: faults)
        }
        var options = DaemonOptions()
        var origins: [String: SettingOrigin] = [:]
        for entry in layers.flatMap(\.entries) {
            entry.setting.set(entry.value, in: &options)
            origins[entry.setting.key] = entry.origin
        }
        self.init(options, origins)
    }

    /// The faults in these settings, whatever their origins.
    package static func faults(in settings: [PlacedSetting]) -> [SettingFault] {
        ConfigurationLayer(flags: settings).faults
    }

    init(_ options: DaemonOptions, _ origins: [String: SettingOrigin]) {
        self.options = options
        self.origins = origins
    }

    /// The settings in force, as a configuration file with the origin of each value.
    package var text: String {
        Setting.mergedFile(options, origins)
    }

    /// The settings whose values differ in another configuration.
    func changes(to other: DaemonConfiguration) -> [Setting] {
        Setting.all.filter { $0.value(in: options) != $0.value(in: other.options) }
    }
}
