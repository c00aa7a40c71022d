// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What becomes of an event whose node is lost after it accepted it.
enum Loss: String, ExpressibleByArgument, CaseIterable {
    case fail, pass
}
