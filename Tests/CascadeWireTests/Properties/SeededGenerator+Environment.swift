// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// Random values, preferences, watched keys and changes.
extension SeededGenerator {
    mutating func setEnvironment() -> SetEnvironment {
        SetEnvironment(
            request: integer(), node: integer(), path: maybe { $0.path() }, assignments())
    }

    mutating func environmentChanges() -> EnvironmentChanges {
        EnvironmentChanges(
            node: integer(), isSnapshot: isLucky(),
            list { generator in
                EnvironmentChange(
                    generator.name(), old: generator.maybe { $0.text() },
                    new: generator.maybe { $0.text() }, isPreference: generator.isLucky())
            })
    }

    mutating func assignments() -> Assignments {
        Assignments(
            settings: list { generator in
                EnvironmentSetting(
                    generator.name(), generator.maybe { $0.text() },
                    isForItself: generator.isLucky(), isSticky: generator.isLucky(),
                    isFallback: generator.isLucky(),
                    source: generator.maybe { ValueSource($0.text(), isStale: $0.isLucky()) })
            },
            watchedKeys: list { $0.name() },
            offers: list { generator in
                PreferenceOffer(
                    generator.name(), generator.maybe { $0.text() },
                    generator.one(of: PreferenceReducer.self))
            },
            watchedPreferences: list { $0.name() }, rules: list { $0.text() })
    }
}
