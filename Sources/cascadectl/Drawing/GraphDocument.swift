// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A drawing of the tree.
struct GraphDocument: Document {
    let picture: TreePicture
    let format: GraphFormat

    var json: JSONValue {
        .document("graph", ["format": .string(format.rawValue), "graph": .string(drawing)])
    }

    func text(_ style: Style) -> String {
        drawing
    }

    private var drawing: String {
        switch format {
        case .dot: picture.dot
        case .mermaid: picture.mermaid
        case .svg: picture.svg
        }
    }
}
