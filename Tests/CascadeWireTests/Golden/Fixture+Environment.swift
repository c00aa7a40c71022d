// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The kitchen sets and offers values and receives changes.
extension Fixture {
    private static let language = EventName("menu.language")
    private static let prices = EventName("menu.prices")
    private static let degrees = EventName("oven.degrees")
    private static let openOrders = EventName("orders.open")
    private static let healthy = EventName("healthy")
    private static let soup = #"{"soup":4}"#

    static let environment: [Fixture] = settings + changes + environmentQueries

    private static let settings: [Fixture] = [
        Fixture("attach of a node with an environment", Attach(request: 12, nodes: [chef])),
        Fixture(
            "set",
            SetEnvironment(
                request: 13, node: 2,
                Assignments(
                    settings: [
                        EnvironmentSetting(degrees, "230", isForItself: true),
                        EnvironmentSetting(language, nil),
                    ],
                    offers: [PreferenceOffer(openOrders, "4", .sum)]))),
        Fixture(
            "set of values from another bus",
            SetEnvironment(
                request: 13, node: 0,
                Assignments(settings: [
                    EnvironmentSetting(
                        language, #""fr""#, isForItself: true, isFallback: true,
                        source: ValueSource("/hq:/shop", isStale: true))
                ]))),
        Fixture(
            "set from outside",
            SetEnvironment(
                request: 14, path: kitchen,
                Assignments(settings: [EnvironmentSetting(language, #""de""#)]))),
    ]

    private static let changes: [Fixture] = [
        Fixture(
            "environment",
            EnvironmentChanges(
                node: 2, isSnapshot: true,
                [
                    EnvironmentChange(prices, old: nil, new: soup),
                    EnvironmentChange(healthy, old: nil, new: "true", isPreference: true),
                ])),
        Fixture(
            "environment that changes",
            EnvironmentChanges(
                node: 2,
                [
                    EnvironmentChange(prices, old: soup, new: nil),
                    EnvironmentChange(healthy, old: "true", new: "false", isPreference: true),
                ])),
    ]

    private static let environmentQueries: [Fixture] = [
        Fixture(
            "query for the environment",
            Query(request: 15, .environment(path: kitchen, key: language))),
        Fixture(
            "query for an explanation",
            Query(request: 16, .explanation(key: language, path: kitchen))),
        Fixture(
            "query for the environment below",
            Query(request: 17, .environmentTree(key: language, path: kitchen))),
        Fixture("query for preferences", Query(request: 18, .preferences(path: kitchen))),
        Fixture("query for a summary", Query(request: 23, .summary(path: "/shop/ulm"))),
        Fixture("query for the sites", Query(request: 24, .sites)),
        Fixture("query for the rules", Query(request: 19, .rules)),
        Fixture(
            "query for what rules would change",
            Query(
                request: 20,
                .rulesDifference(file: "menu.rules", text: #"details <= "minimal""#))),
        Fixture("query for the policy", Query(request: 21, .policy)),
        Fixture(
            "query for what policy says",
            Query(
                request: 22,
                .policyTest(
                    PolicyTest(
                        "attach", at: kitchen,
                        by: PolicyIdentity(
                            userID: 1000, groupIDs: [900], unit: "till.service", key: "till"))))),
    ]

    /// A kitchen with every kind of value, preference, watched key and rule.
    private static let chef = {
        var node = NodeDeclaration(path: kitchen)
        node.assignments = Assignments(
            settings: [
                EnvironmentSetting(language, #""fr""#),
                EnvironmentSetting(degrees, "220", isForItself: true, isSticky: true),
            ],
            watchedKeys: [prices], offers: [PreferenceOffer(openOrders, "3", .sum)],
            watchedPreferences: [healthy],
            rules: [#"node.name == "menu" => details <= "minimal""#])
        return node
    }()
}
