// SPDX-License-Identifier: Apache-2.0

import CascadeFuzzing
import Glibc
import LibFuzzer

/// Lets libFuzzer search for bytes that make a target trap: `deploy/fuzz TARGET SECONDS`.
///
/// The target is named by `CASCADE_FUZZING`, because libFuzzer restarts this program by itself,
/// with arguments of its own.
@main
struct CascadeFuzz {
    nonisolated(unsafe) private static var target = FuzzTarget.wire

    static func main() {
        let name = getenv("CASCADE_FUZZING").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let all = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
            print("there is no target '\(name)'; there are: \(all)")
            exit(64)
        }
        Self.target = target
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                CascadeFuzz.target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }
}
