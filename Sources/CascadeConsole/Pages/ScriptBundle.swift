// SPDX-License-Identifier: Apache-2.0

/// The modules of the page as one script, so that a browser asks once for all of them.
///
/// Each module becomes a function that is called once, after those that it imports, and returns what it
/// exports. The modules are written so that this means the same: an import is a line of its own, an export is
/// the declaration of a function, a class or a constant, and no two modules import each other. Lines without
/// code are left out: the numbers of lines are not those of the modules anyway.
struct ScriptBundle {
    private let modules: [String: [UInt8]]
    private var joined: Set<String> = []
    private(set) var text = "// SPDX-License-Identifier: Apache-2.0\n"

    /// Joins a module with all that it imports.
    init(_ modules: [String: [UInt8]], from main: String) {
        self.modules = modules
        join(main)
    }

    private mutating func join(_ name: String) {
        guard joined.insert(name).inserted, let bytes = modules[name] else {
            return
        }
        var body = ""
        var exports: [Substring] = []
        for line in String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            let code = line.drop { $0 == " " }
            guard !code.isEmpty, !code.hasPrefix("//") else {
                continue
            }
            if let (names, module) = Self.imported(by: line) {
                join(String(module))
                body += "const \(names) = \(Self.variable(of: module));\n"
            } else if line.hasPrefix(Self.export) {
                let declaration = line.dropFirst(Self.export.count)
                exports.append(Self.name(declaredBy: declaration))
                body += declaration + "\n"
            } else {
                body += line + "\n"
            }
        }
        text += "const \(Self.variable(of: name[...])) = (() => {\n\(body)"
        text += "return { \(exports.joined(separator: ", ")) };\n})();\n"
    }

    private static let export = "export "

    /// Returns the variable for what a module exports.
    private static func variable(of module: Substring) -> String {
        "$" + module.prefix { $0 != "." }
    }

    /// Returns the names, or the pattern of names, and the module of `import NAMES from './MODULE';`.
    private static func imported(by line: Substring) -> (names: Substring, module: Substring)? {
        guard line.hasPrefix("import "), let from = line.firstRange(of: " from './"),
            line.hasSuffix("';")
        else {
            return nil
        }
        var names = line[..<from.lowerBound].dropFirst("import ".count)
        if names.hasPrefix("* as ") {
            names = names.dropFirst("* as ".count)
        }
        return (names, line[from.upperBound...].dropLast(2))
    }

    /// Returns the name that a declaration of a function, class or constant gives.
    private static func name(declaredBy declaration: Substring) -> Substring {
        let words = declaration.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }
        return words.first { !["async", "function", "class", "const"].contains($0) } ?? ""
    }
}
