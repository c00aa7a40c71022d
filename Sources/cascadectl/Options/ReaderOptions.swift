// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The node whose environment is read.
struct ReaderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Path of the node whose environment is read.", valueName: "path"),
        completion: .nodes,
        transform: NodePath.argument)
    var at: NodePath = .root
}
