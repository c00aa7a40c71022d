// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The kitchen publishes a new menu.
extension Fixture {
    static let publications: [Fixture] = [
        Fixture(
            "publish",
            Header(
                .publish, node: 2, name: 2, sequence: 2, code: PublishingDestination.all.rawValue),
            payload: #"["soup"]"#),
        Fixture(
            "delivery",
            Header(
                .delivery, name: 2, id: 0x2_0000_000B, sequence: 2, origin: 2, session: 1,
                time: 30_000),
            payload: #"["soup"]"#),
        Fixture(
            "publish of a retained value",
            Header(
                .publish, flags: [.addressedInFields, .retained], node: 2, name: 2, sequence: 8,
                code: PublishingDestination.all.rawValue | 1 << 8),
            RaisedFields(cause: firstOrder), payload: #"["soup"]"#),
        Fixture(
            "delivery of a retained value",
            Header(
                .delivery, flags: .retained, name: 2, id: 0x2_0000_000E, sequence: 8, origin: 2,
                session: 1, time: 30_000, code: 1 << 8),
            RaisedFields(cause: firstOrder), payload: #"["soup"]"#),
        Fixture(
            "delivery for a stand-in",
            Header(
                .delivery, flags: .retained, name: 2, id: 0x2_0000_000F, sequence: 8, origin: 2,
                session: 1, time: 30_000, code: Reach.lastLevel.rawValue | 1 << 8),
            RaisedFields(cause: firstOrder), payload: #"["soup"]"#),
        Fixture(
            "outcome of a publication",
            OutcomeMessage(sequence: 2, code: .delivered, microseconds: 640, recipients: [kitchen])),
    ]
}
