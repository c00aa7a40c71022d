// SPDX-License-Identifier: Apache-2.0

package import CascadeService
import CascadeWire

/// The settings as configuration files: the commented default file, and the settings in force.
extension Setting {
    /// A file with the meaning and default of every setting, all commented out.
    package static var defaultFile: String {
        var text = """
            # SPDX-License-Identifier: Apache-2.0
            #
            # The configuration of cascaded. Every setting below shows its default behind a '#';
            # remove the '#', also from the line of its section, to change it.
            #
            # This file is read after the one in /usr/lib/cascade, and before the drop-ins:
            # *.yaml in /usr/lib/cascade/cascaded.d and /etc/cascade/cascaded.d, by name. Variables
            # (CASCADE_GRACE, CASCADE_LOG_LEVEL) come after all files, flags (--grace, --log-level)
            # come last. 'cascaded --check-config' checks the configuration, 'cascaded
            # --print-config' prints the settings in force, 'cascadectl reload' applies changes.

            """
        for (section, settings) in sections {
            if let section {
                text += "\n#\(section):\n"
            }
            for setting in settings {
                text += setting.commentedLines(isInSection: section != nil)
            }
        }
        return text
    }

    /// The settings in force with the origin of each value; itself a valid configuration file.
    package static func mergedFile(
        _ options: DaemonOptions, _ origins: [String: SettingOrigin]
    ) -> String {
        var text = ""
        for (section, settings) in sections {
            if let section {
                text += "\(section):\n"
            }
            for setting in settings {
                let value = setting.value(in: options)
                // The origin contains a file name, which may contain line breaks.
                let comment = "\(origins[setting.key] ?? .compiledIn)"
                    .escapedForDisplay(limit: .max)
                let isThere = value != .none
                let line = "\(setting.components.last ?? ""): \(setting.text(value))"
                let indent = section == nil ? "" : "  "
                text += indent + (isThere ? "\(line)  # \(comment)\n" : "# \(line)\n")
            }
        }
        return text
    }

    /// The settings by section; those without a section come first.
    private static var sections: [(String?, [Setting])] {
        var sections: [(String?, [Setting])] = [(nil, [])]
        for setting in all {
            let section = setting.components.count > 1 ? setting.components[0] : nil
            if let index = sections.firstIndex(where: { $0.0 == section }) {
                sections[index].1.append(setting)
            } else {
                sections.append((section, [setting]))
            }
        }
        return sections
    }

    private func commentedLines(isInSection: Bool) -> String {
        let indent = isInSection ? "#  " : "#"
        let value = text(value(in: DaemonOptions()))
        var facts = "\(allowed)"
        if case .number = kind, !unit.isEmpty {
            facts += ", in \(unit)"
        }
        facts += effect == .atReload ? "; a reload applies it" : "; a restart applies it"
        let words = Self.wrapped(meaning + " (" + facts + ")", at: 96)
        let lines = words.map { "# \($0)" }
        return "\n" + lines.joined(separator: "\n")
            + "\n\(indent)\(components.last ?? ""):\(value.isEmpty ? "" : " " + value)\n"
    }

    private static func wrapped(_ text: String, at width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.count + 1 + word.count > width {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = last.isEmpty ? String(word) : last + " " + word
            }
        }
        return lines
    }
}
