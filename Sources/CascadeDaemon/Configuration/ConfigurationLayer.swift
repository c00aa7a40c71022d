// SPDX-License-Identifier: Apache-2.0

/// The settings of one source: a file, the environment, the command line.
struct ConfigurationLayer: Sendable {
    struct Entry: Sendable {
        let setting: Setting
        let value: SettingValue
        let origin: SettingOrigin
    }

    private(set) var entries: [Entry] = []
    private(set) var faults: [SettingFault]

    private init(_ settings: [PlacedSetting], faults: [SettingFault] = []) {
        self.faults = faults
        for placed in settings {
            do throws(SettingRefusal) {
                if let setting = try Self.setting(placed) {
                    let value = try setting.value(placed.value)
                    entries.append(Entry(setting: setting, value: value, origin: placed.origin))
                }
            } catch {
                self.faults.append(SettingFault(placed.origin, error.sentence))
            }
        }
    }

    /// The setting of a key; `nil` for an empty section. Throws if there is no such setting.
    private static func setting(_ placed: PlacedSetting) throws(SettingRefusal) -> Setting? {
        if let setting = Setting.named(placed.key) {
            return setting
        }
        let section = Setting.all.filter { $0.key.hasPrefix(placed.key + ".") }
        if !section.isEmpty {
            if placed.value == .empty {
                return nil
            }
            let names = section.map { $0.components[1] }.joined(separator: ", ")
            throw SettingRefusal("\(placed.key) is a section with \(names)")
        }
        throw SettingRefusal(unknown(placed.key))
    }

    private static func unknown(_ key: String) -> String {
        let nearest = NearestName.of(key, among: Setting.all.map(\.key))
        let advice = nearest.map { "; did you mean '\($0)'?" }
        return "unknown setting '\(key)'" + (advice ?? "; --print-default-config lists all")
    }

    // MARK: - Sources

    init(file: String) {
        do throws(TextFileError) {
            let text = try TextFile.read(file, byteCountMax: Self.fileByteCountMax)
            self.init(text: text, file: file)
        } catch {
            let fault = SettingFault(.file(file, line: 1, column: 1), error.reason)
            self.init([], faults: [fault])
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
        let byVariable = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.variable, $0) })
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) {
            if let setting = byVariable[name] {
                settings.append(
                    PlacedSetting(setting.key, Self.raw(text, of: setting), .variable(name)))
            } else if name.hasPrefix("CASCADE_LIMITS_") || name.hasPrefix("CASCADE_LOG_") {
                let nearest = NearestName.of(name, among: Array(byVariable.keys.sorted()))
                let advice = nearest.map { "; did you mean \($0)?" } ?? ""
                faults.append(SettingFault(.variable(name), "no setting has this name" + advice))
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
