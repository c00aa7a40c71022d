// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
package import CascadeService
import CascadeWire

/// The settings of a daemon, merged from defaults, files, variables and flags. Each of these
/// overrides those before it.
package struct DaemonConfiguration: Sendable {
    /// The values of all settings.
    package let options: DaemonOptions
    /// The origin of each setting that does not have its default, by key.
    package let origins: [String: SettingOrigin]
    /// Advice about settings that are in force under names of an earlier release.
    package let advice: [SettingFault]

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
    /// all faults. Faults and origins name the text by `file`.
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
        if !options.allowsPlainTCP, options.curveKey == nil, let origin = origins["listen"] {
            let faults = options.endpoints.compactMap(Endpoint.faultWithoutKey)
            guard faults.isEmpty else {
                throw ConfigurationError(faults: faults.map { SettingFault(origin, $0) })
            }
        }
        self.init(options, origins, layers.flatMap(\.advice))
    }

    /// The faults in these settings, whatever their origins.
    package static func faults(in settings: [PlacedSetting]) -> [SettingFault] {
        ConfigurationLayer(flags: settings).faults
    }

    init(
        _ options: DaemonOptions, _ origins: [String: SettingOrigin], _ advice: [SettingFault] = []
    ) {
        self.options = options
        self.origins = origins
        self.advice = advice
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

/// The settings of one source: a file, the environment, the command line.
struct ConfigurationLayer: Sendable {
    struct Entry: Sendable {
        let setting: Setting
        let value: SettingValue
        let origin: SettingOrigin
    }

    private(set) var entries: [Entry] = []
    private(set) var faults: [SettingFault]
    private(set) var advice: [SettingFault] = []

    private init(_ settings: [PlacedSetting], faults: [SettingFault] = []) {
        self.faults = faults
        for placed in settings {
            do throws(SettingRefusal) {
                if let setting = try setting(placed) {
                    let value = try setting.value(placed.value)
                    entries.append(Entry(setting: setting, value: value, origin: placed.origin))
                }
            } catch {
                self.faults.append(SettingFault(placed.origin, error.sentence))
            }
        }
    }

    /// The setting of a key; `nil` for an empty section. Throws if there is no such setting.
    private mutating func setting(
        _ placed: PlacedSetting
    ) throws(SettingRefusal) -> Setting? {
        if let setting = Setting.named(placed.key) {
            return setting
        }
        if let present = Setting.formerKeys[placed.key] {
            advice.append(
                SettingFault(placed.origin, "\(placed.key) is called \(present) now; rename it"))
            return Setting.named(present)
        }
        let section = Setting.all.filter { $0.key.hasPrefix(placed.key + ".") }
        if !section.isEmpty {
            if placed.value == .empty {
                return nil
            }
            let names = section.map { $0.components[1] }.joined(separator: ", ")
            throw SettingRefusal("\(placed.key) is a section with \(names)")
        }
        throw SettingRefusal(Self.unknown(placed.key))
    }

    private static func unknown(_ key: String) -> String {
        let nearest = Spelling.nearest(to: key, among: Setting.all.map(\.key))
        return "unknown setting '\(key)'"
            + (nearest.isEmpty ? "; --print-default-config lists all" : Spelling.question(nearest))
    }

    // MARK: - Sources

    init(file: String) {
        do throws(TextFileError) {
            let text = try TextFile.read(file, byteCountMax: Self.fileByteCountMax)
            self.init(text: text, file: file)
        } catch {
            self.init([], faults: [SettingFault(reading: file, error)])
        }
    }

    /// - Parameter file: the name of the text in faults and origins.
    init(text: String, file: String) {
        let text = SettingsText(text, file: file)
        self.init(text.settings, faults: text.faults)
    }

    private static let fileByteCountMax = 1 << 20

    /// Reads the variables of settings. Unknown variables are faults only if their prefix belongs
    /// to a section of settings: other programs may use names that begin with `CASCADE_`.
    init(environment: [String: String]) {
        var settings: [PlacedSetting] = []
        var faults: [SettingFault] = []
        var byVariable: [String: (key: String, setting: Setting)] = [:]
        for setting in Setting.all {
            byVariable[setting.variable] = (setting.key, setting)
        }
        for (former, present) in Setting.formerKeys {
            byVariable[Setting.variable(of: former)] = (former, Setting.of(present))
        }
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) {
            if let (key, setting) = byVariable[name] {
                settings.append(PlacedSetting(key, Self.raw(text, of: setting), .variable(name)))
            } else if name.hasPrefix("CASCADE_LIMITS_") || name.hasPrefix("CASCADE_LOG_") {
                let nearest = Spelling.nearest(to: name, among: Setting.all.map(\.variable))
                faults.append(
                    SettingFault(
                        .variable(name), "no setting has this name" + Spelling.question(nearest)))
            }
        }
        self.init(settings, faults: faults)
    }

    /// Splits the elements of a list at commas.
    private static func raw(_ text: String, of setting: Setting) -> RawSetting {
        guard case .list = setting.kind else {
            return .scalar(text)
        }
        let elements = text.split(separator: ",").map { element in
            String(
                element.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace)
                    .reversed())
        }
        return .list(elements)
    }

    init(flags: [PlacedSetting]) {
        self.init(flags)
    }
}

/// The reasons why a configuration is refused: all faults, in the order in which they were read.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let faults: [SettingFault]
    /// The kind of the files that contain the faults.
    let kind: DaemonFileKind

    init(faults: [SettingFault]) {
        self.faults = faults
        kind = .configuration
    }

    /// A fault of one whole file.
    init(_ kind: DaemonFileKind, _ sentence: String) {
        self.kind = kind
        faults = [SettingFault(nil, sentence)]
    }

    package var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
