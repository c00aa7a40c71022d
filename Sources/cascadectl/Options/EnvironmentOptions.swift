// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The values that a node sets, offers and watches.
struct EnvironmentOptions: ParsableArguments {
    @Option(
        name: .customLong("env"),
        help: ArgumentHelp("Set a value for what is below the node.", valueName: "key=json"))
    var values: [String] = []

    @Option(
        name: .customLong("env-self"),
        help: ArgumentHelp("Set a value for the node too.", valueName: "key=json"))
    var ownValues: [String] = []

    @Option(
        name: .customLong("watch-env"),
        help: ArgumentHelp("Print what the node reads under this key.", valueName: "key"),
        transform: EventName.argument)
    var watchedKeys: [EventName] = []

    @Option(
        name: .customLong("prefer"),
        help: ArgumentHelp(
            """
            Offer a value upward. With those of other nodes it is made one by the reducer: sum, \
            min, max, all, any, first, append or merge.
            """, valueName: "key=json:reducer"))
    var offers: [String] = []

    @Option(
        name: .customLong("watch-preference"),
        help: ArgumentHelp(
            "Print what is offered under this key, at the node and below.", valueName: "key"),
        transform: EventName.argument)
    var watchedPreferences: [EventName] = []

    @Option(
        name: .customLong("rule"),
        help: ArgumentHelp(
            """
            Derive a value where none is set, for the node and what is below it, as in \
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
