// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeConsole

/// The options of what is recorded, and of a recording that is shown.
struct RecordingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Directory in which everything is recorded; without one, 32 MiB in memory.",
            valueName: "directory"),
        completion: .directory)
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Size of all files of --record, such as 500MiB; the oldest is removed first.",
            valueName: "size"))
    var recordLimit = ByteCount(bytes: 1_073_741_824)

    @Option(
        help: ArgumentHelp(
            "File of 'cascadectl capture' that is shown instead of a bus.", valueName: "file"),
        completion: .file())
    var capture: String?

    func validate() throws {
        guard record == nil || capture == nil else {
            throw ValidationError("--record and --capture exclude each other: a file is no bus")
        }
        // Two files, of which one is written while the other is removed.
        guard recordLimit.bytes >= 33_554_432 else {
            throw ValidationError("--record-limit must be 32MiB or more")
        }
    }

    func apply(to options: inout ConsoleOptions) {
        options.recordDirectory = record
        options.recordByteCountMax = recordLimit.bytes
        options.captureFile = capture
    }
}

/// A size: `64KiB`, `500MiB`, `1GiB`, or a number of bytes.
struct ByteCount: ExpressibleByArgument, CustomStringConvertible {
    private static let units = [("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824)]

    let bytes: Int

    init(bytes: Int) {
        self.bytes = bytes
    }

    init?(argument: String) {
        let unit = Self.units.first { argument.hasSuffix($0.0) }
        guard let number = Int(argument.dropLast(unit?.0.count ?? 0)), number >= 0,
            case let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit?.1 ?? 1),
            !isTooLarge
        else {
            return nil
        }
        self.bytes = bytes
    }

    var description: String {
        let unit = Self.units.last { bytes >= $0.1 && bytes.isMultiple(of: $0.1) }
        return unit.map { "\(bytes / $0.1)\($0.0)" } ?? "\(bytes)"
    }

    var defaultValueDescription: String {
        description
    }
}
