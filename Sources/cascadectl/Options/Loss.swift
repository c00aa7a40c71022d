// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The fate of an event when a node is lost after it accepted the event.
enum Loss: String, ExpressibleByArgument, CaseIterable {
    case fail, pass
}
