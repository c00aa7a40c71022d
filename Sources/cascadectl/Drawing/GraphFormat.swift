// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The output formats of a drawing.
enum GraphFormat: String, ExpressibleByArgument, CaseIterable {
    /// Graphviz.
    case dot
    case mermaid
    case svg
}
