// SPDX-License-Identifier: Apache-2.0

import CascadeFuzzing
import Glibc
import LibFuzzer

/// The program with which libFuzzer searches for bytes that make a target trap:
/// `deploy/fuzz TARGET SECONDS`.
///
/// `CASCADE_FUZZING` names the target, because libFuzzer restarts this program with arguments of its own.
@main
struct CascadeFuzz {
    nonisolated(unsafe) private static var target = FuzzTarget.wire

    static func main() {
        let name = getenv("CASCADE_FUZZING").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let all = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
            print("CASCADE_FUZZING names no known target: '\(name)'; known targets: \(all)")
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
