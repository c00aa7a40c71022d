// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeWire

extension TimeSpan: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }
}
