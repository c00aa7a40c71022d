// SPDX-License-Identifier: Apache-2.0

/// What a daemon is told, put together from everything that tells it something: defaults, files,
/// variables, flags, each counting more than those before.
package struct DaemonConfiguration: Sendable {
    package let options: DaemonOptions
    /// Where each setting was said that does not have its default.
    package let origins: [String: SettingOrigin]

    /// Reads the sources. Throws ``ConfigurationError`` with everything that is wrong in them.
    package init(reading sources: ConfigurationSources) throws(ConfigurationError) {
        var layers = [ConfigurationLayer(flags: sources.defaults)]
        for file in sources.files() {
            layers.append(ConfigurationLayer(file: file))
        }
        layers.append(ConfigurationLayer(environment: sources.environment))
        layers.append(ConfigurationLayer(flags: sources.flags))
        try self.init(checking: layers)
    }

    /// Reads one file's text, beside the defaults. Faults and origins call it `file`.
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

    /// What is wrong with these settings, wherever they were said.
    package static func faults(in settings: [PlacedSetting]) -> [SettingFault] {
        ConfigurationLayer(flags: settings).faults
    }

    init(_ options: DaemonOptions, _ origins: [String: SettingOrigin]) {
        self.options = options
        self.origins = origins
    }

    /// What is in force, as a file, with the origin of each value.
    package var text: String {
        Setting.mergedFile(options, origins)
    }

    /// The settings that have other values in another configuration.
    func changes(to other: DaemonConfiguration) -> [Setting] {
        Setting.all.filter { $0.value(in: options) != $0.value(in: other.options) }
    }
}
