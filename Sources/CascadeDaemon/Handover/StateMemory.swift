// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A piece of memory that outlives the process, because the service manager has a descriptor of it
/// too. What was written last is read back whole, whatever the process was doing when it ended.
///
/// There are two places in it, written in turn: the one that counts is the one with the higher
/// number whose checksum is right, so that a write that was cut short leaves what was before.
final class StateMemory {
    let descriptor: Int32
    private var number: UInt64 = 0
    private var place = 1

    /// Far more than a state can have; what nobody has written to takes up nothing.
    private static let placeBytes = 1 << 31
    private static let headBytes = 32
    private static let signature: UInt64 = 0x6361_7363_6164_6531

    /// New memory; `nil` if there is none to be had.
    convenience init?() {
        let descriptor = cascade_memfd_create("cascade-state", 0)
        guard descriptor >= 0 else {
            return nil
        }
        self.init(descriptor)
    }

    /// Memory that a process before this one has written to.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// What was written last; `nil` if there is nothing. To be called before anything is written.
    func read() -> [UInt8]? {
        let found = (0..<2).compactMap { place in
            read(place).map { (place: place, number: $0.number, bytes: $0.bytes) }
        }
        guard let latest = found.max(by: { $0.number < $1.number }) else {
            return nil
        }
        number = latest.number
        place = latest.place
        return latest.bytes
    }

    private func read(_ place: Int) -> (number: UInt64, bytes: [UInt8])? {
        let start = place * Self.placeBytes
        guard let head = read(at: start, count: Self.headBytes) else {
            return nil
        }
        let words = head.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
        guard words[0] == Self.signature, words[2] < UInt64(Self.placeBytes - Self.headBytes),
            let bytes = read(at: start + Self.headBytes, count: Int(words[2])),
            Self.checksum(words[1], bytes) == words[3]
        else {
            return nil
        }
        return (words[1], bytes)
    }

    /// Returns whether it is written; what was before counts otherwise.
    func write(_ bytes: [UInt8]) -> Bool {
        let next = 1 - place
        let start = next * Self.placeBytes
        guard bytes.count < Self.placeBytes - Self.headBytes,
            write(bytes, at: start + Self.headBytes)
        else {
            return false
        }
        let head = [
            Self.signature, number + 1, UInt64(bytes.count), Self.checksum(number + 1, bytes),
        ]
        let headBytes = head.withUnsafeBytes { Array($0) }
        guard write(headBytes, at: start) else {
            return false
        }
        giveBack(behind: start + Self.headBytes + bytes.count, of: next)
        place = next
        number += 1
        return true
    }

    /// What a longer state before has left behind this one.
    private func giveBack(behind end: Int, of place: Int) {
        let length = (place + 1) * Self.placeBytes - end
        _ = cascade_punch_hole(descriptor, Int64(end), Int64(length))
    }

    private func read(at offset: Int, count: Int) -> [UInt8]? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int(status.st_size) >= offset + count else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let readCount = bytes.withUnsafeMutableBytes { buffer in
            pread(descriptor, buffer.baseAddress, count, off_t(offset))
        }
        return readCount == count ? bytes : nil
    }

    private func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = pwrite(
                    descriptor, rest.baseAddress, rest.count, off_t(offset + done))
                guard count > 0 else {
                    return false
                }
                done += count
            }
            return true
        }
    }

    /// FNV-1a, eight bytes at a time: against a write that was cut short, not against people.
    private static func checksum(_ number: UInt64, _ bytes: [UInt8]) -> UInt64 {
        let prime: UInt64 = 0x100_0000_01b3
        var sum: UInt64 = (0xcbf2_9ce4_8422_2325 ^ number) &* prime
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset + 8 <= buffer.count {
                let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                sum = (sum ^ word) &* prime
                sum ^= sum >> 29
                offset += 8
            }
            while offset < buffer.count {
                sum = (sum ^ UInt64(buffer[offset])) &* prime
                offset += 1
            }
        }
        return sum
    }
}
