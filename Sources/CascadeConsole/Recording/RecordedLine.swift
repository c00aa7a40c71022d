// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Glibc

/// A line of a recording. All values are JSON texts, which have no line breaks.
///
/// A recording is a sequence of blocks. A block begins with a keyframe, all that is known at a moment;
/// differences follow, each of which says what became known at its moment.
enum RecordedLine: Equatable, Sendable {
    case keyframe(Timestamp)
    case difference(Timestamp)
    /// The row of a node that came or changed, by its number.
    case node(Int, String)
    case activity(Int, String)
    case gone(Int)
    /// A message that ended.
    case ended(Timestamp, String)
    /// Another monitor event.
    case happening(Timestamp, String)
    /// The outcomes of a second.
    case second(String)
    /// A member of frames that is told whole.
    case value(String, String)
    case noValue(String)

    /// Appends the line and its end.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .keyframe(let when): bytes += "k \(when.microseconds)\n".utf8
        case .difference(let when): bytes += "d \(when.microseconds)\n".utf8
        case .node(let number, let row): bytes += "n \(number) \(row)\n".utf8
        case .activity(let number, let row): bytes += "a \(number) \(row)\n".utf8
        case .gone(let number): bytes += "g \(number)\n".utf8
        case .ended(let when, let text): bytes += "e \(when.microseconds) \(text)\n".utf8
        case .happening(let when, let text): bytes += "h \(when.microseconds) \(text)\n".utf8
        case .second(let row): bytes += "s 0 \(row)\n".utf8
        case .value(let name, let text): bytes += "v 0 \(name) \(text)\n".utf8
        case .noValue(let name): bytes += "x 0 \(name)\n".utf8
        }
    }

    /// Reads a line without its end; `nil` if it is of another form.
    init?(_ line: Slice<UnsafeRawBufferPointer>) {
        guard line.count > 2, line[line.startIndex + 1] == UInt8(ascii: " ") else {
            return nil
        }
        var rest = line.dropFirst(2)
        guard let number = Self.takeNumber(&rest) else {
            return nil
        }
        let when = Timestamp(microseconds: number)
        let text = { String(decoding: rest, as: UTF8.self) }
        switch line[line.startIndex] {
        case UInt8(ascii: "k"): self = .keyframe(when)
        case UInt8(ascii: "d"): self = .difference(when)
        case UInt8(ascii: "n"): self = .node(Int(number), text())
        case UInt8(ascii: "a"): self = .activity(Int(number), text())
        case UInt8(ascii: "g"): self = .gone(Int(number))
        case UInt8(ascii: "e"): self = .ended(when, text())
        case UInt8(ascii: "h"): self = .happening(when, text())
        case UInt8(ascii: "s"): self = .second(text())
        case UInt8(ascii: "v"):
            guard let space = rest.firstIndex(of: UInt8(ascii: " ")) else {
                return nil
            }
            self = .value(
                String(decoding: rest[..<space], as: UTF8.self),
                String(decoding: rest[(space + 1)...], as: UTF8.self))
        case UInt8(ascii: "x"): self = .noValue(text())
        default: return nil
        }
    }

    /// What an index has to know of a line, without reading its text.
    struct Head {
        enum Kind {
            case keyframe, difference, ended
            /// The index takes the text too.
            case logged
            case other
        }

        let kind: Kind
        let when: Timestamp

        init?(_ line: Slice<UnsafeRawBufferPointer>) {
            guard line.count > 2 else {
                return nil
            }
            var rest = line.dropFirst(2)
            guard let number = RecordedLine.takeNumber(&rest) else {
                return nil
            }
            when = Timestamp(microseconds: number)
            switch line[line.startIndex] {
            case UInt8(ascii: "k"): kind = .keyframe
            case UInt8(ascii: "d"): kind = .difference
            case UInt8(ascii: "e"): kind = .ended
            case UInt8(ascii: "h"), UInt8(ascii: "s"): kind = .logged
            default: kind = .other
            }
        }
    }

    /// Reads a number and the space after it.
    private static func takeNumber(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int64? {
        var number: Int64 = 0
        var index = rest.startIndex
        while index < rest.endIndex, rest[index] != UInt8(ascii: " ") {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(rest[index]),
                index - rest.startIndex < 18
            else {
                return nil
            }
            number = number * 10 + Int64(rest[index] - UInt8(ascii: "0"))
            index += 1
        }
        guard index > rest.startIndex else {
            return nil
        }
        rest = rest[min(index + 1, rest.endIndex)...]
        return number
    }
}

extension [UInt8] {
    /// Calls `body` with each line of a recording, until it returns `false`. Leaves out what is of another
    /// form.
    func forEachRecordedLine(_ body: (RecordedLine) -> Bool) {
        withUnsafeBytes { bytes in
            bytes.forEachLine { line in RecordedLine(line).map(body) ?? true }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Calls `body` with each whole line, without its end. What follows the last end is a torn line, and
    /// is left out. Stops when `body` returns `false`.
    func forEachLine(_ body: (Slice<UnsafeRawBufferPointer>) throws -> Bool) rethrows {
        var rest = self[...]
        while let end = rest.endOfLine {
            guard try body(rest[..<end]) else {
                return
            }
            rest = rest[(end + 1)...]
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The index of the first line break.
    var endOfLine: Int? {
        let bytes = UnsafeRawBufferPointer(rebasing: self)
        guard let base = bytes.baseAddress,
            let end = memchr(base, Int32(UInt8(ascii: "\n")), bytes.count)
        else {
            return nil
        }
        return startIndex + (UnsafeRawPointer(end) - base)
    }
}
