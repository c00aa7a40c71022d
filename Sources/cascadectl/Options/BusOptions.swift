// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Which bus to talk to.
struct BusOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The bus, as ZeroMQ writes it. Otherwise CASCADE_BUS, the user's bus if there is one, \
            or the system's.
            """, valueName: "endpoint"))
    var bus: String?

    var endpoint: String {
        bus ?? BusEndpoint.standard
    }
}
