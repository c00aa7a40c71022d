// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The values that have been set or removed from outside.
struct SettingsDocument: Document {
    let path: NodePath
    let settings: [EnvironmentSetting]

    var json: JSONValue {
        .document(
            "envSet",
            [
                "at": .text(path),
                "values": .array(
                    settings.map { setting in
                        .members([
                            "key": .text(setting.key),
                            "value": setting.json.map(JSONValue.init(value:)),
                        ])
                    }),
            ])
    }

    func text(_ style: Style) -> String {
        settings.map { setting in
            if let json = setting.json {
                "\(setting.key) is \(json.safeForTerminal) at \(path)"
            } else {
                "\(setting.key) is no longer set at \(path)"
            }
        }.joined(separator: "\n")
    }
}
