// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The values that a node sets, offers and watches.
struct EnvironmentOptions: ParsableArguments {
    @Option(
        name: .customLong("env"),
        help: ArgumentHelp(
            "Value to set for the nodes below; may be repeated.", valueName: "key=json"))
    var values: [String] = []

    @Option(
        name: .customLong("env-self"),
        help: ArgumentHelp(
            "Value to set for the node and the nodes below; may be repeated.", valueName: "key=json"
        ))
    var ownValues: [String] = []

    @Option(
        name: .customLong("watch-env"),
        help: ArgumentHelp(
            "Key of the environment whose changes are printed; may be repeated.", valueName: "key"),
        transform: EventName.argument)
    var watchedKeys: [EventName] = []

    @Option(
        name: .customLong("prefer"),
        help: ArgumentHelp(
            """
            Preference to offer, with the reducer that combines it with those of other nodes: sum, \
            min, max, all, any, first, append or merge.
            """, valueName: "key=json:reducer"))
    var offers: [String] = []

    @Option(
        name: .customLong("watch-preference"),
        help: ArgumentHelp(
            "Key of the subtree's preferences whose changes are printed; may be repeated.",
            valueName: "key"),
        transform: EventName.argument)
    var watchedPreferences: [EventName] = []

    @Option(
        name: .customLong("rule"),
        help: ArgumentHelp(
            """
            Rule that derives a value where none is set, for the node and its subtree, as in \
            'platform == "watch" => details <= "minimal" ; high'.
            """, valueName: "rule"))
    var rules: [String] = []

    /// Returns the assignments. Throws ``Stop`` for an invalid key, or a value that is not JSON.
    func assignments() throws -> Assignments {
        Assignments(
            settings: try values.map { try EnvironmentSetting(argument: $0) }
                + ownValues.map { try EnvironmentSetting(argument: $0, isForItself: true) },
            watchedKeys: watchedKeys, offers: try offers.map { try PreferenceOffer(argument: $0) },
            watchedPreferences: watchedPreferences, rules: rules)
    }
}
