// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// For what the hierarchy is drawn.
enum GraphFormat: String, ExpressibleByArgument, CaseIterable {
    /// Graphviz.
    case dot
    case mermaid
    case svg
}
