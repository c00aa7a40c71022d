// SPDX-License-Identifier: Apache-2.0

/// Lets a target import only what its row of the dependency table names.
struct ImportRule {
    let layers: [Layer]

    func findings(in file: SourceFile) -> [Finding] {
        guard let target = file.target else { return [] }
        guard let layer = layers.first(where: { $0.target == target }) else {
            return [Finding(file.path, "\(target) has no row in the dependency table; add one")]
        }
        return Import.all(in: file.tokens)
            .filter { !layer.allows($0.module, in: file.path) }
            .map { found in
                Finding(file.path, line: found.line, "import \(found.module): \(layer.summary)")
            }
    }
}
