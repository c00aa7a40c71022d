// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Memory that outlives the process, because the service manager holds a descriptor of it. The last
/// complete write is read back, whenever the process ended.
///
/// The memory has two halves that are written in turn. The half with the higher number and a
/// correct checksum is valid, so that an incomplete write leaves the previous one valid.
final class StateMemory {
    let descriptor: Int32
    private var number: UInt64 = 0
    private var place = 1

    /// Far more than a state can have; unwritten pages take no memory.
    private static let placeBytes = 1 << 31
    private static let headBytes = 32
    private static let signature: UInt64 = 0x6361_7363_6164_6531

    /// Creates new memory; `nil` if the kernel refuses it.
    convenience init?() {
        let descriptor = cascade_memfd_create("cascade-state", 0)
        guard descriptor >= 0 else {
            return nil
        }
        self.init(descriptor)
    }

    /// Memory that a previous process has written to.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Returns the last write; `nil` if there was none. Must be called before the first write.
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

    /// Returns whether the write is complete; if not, the previous one stays valid.
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
        freePages(behind: start + Self.headBytes + bytes.count, of: next)
        place = next
        number += 1
        return true
    }

    /// Frees the pages that a longer write before this one has filled.
    private func freePages(behind end: Int, of place: Int) {
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

    /// FNV-1a, eight bytes at a time: detects incomplete writes, not forgery.
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
