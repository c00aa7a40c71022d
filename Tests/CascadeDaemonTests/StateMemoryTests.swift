// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CascadeDaemon

@Suite struct StateMemoryTests {
    /// The same memory in the next process.
    private func successor(of memory: StateMemory) -> StateMemory {
        StateMemory(dup(memory.descriptor))
    }

    @Test func `new memory has no state`() throws {
        #expect(try #require(StateMemory()).read() == nil)
    }

    @Test func `the state written last is read by the next process and the one after it`() throws {
        let memory = try #require(StateMemory())
        for text in ["one", "", "three", "a longer one that is the last"] {
            #expect(memory.write(Array(text.utf8)))
            #expect(successor(of: memory).read() == Array(text.utf8))
        }
        let next = successor(of: memory)
        _ = next.read()
        #expect(next.write([1, 2, 3]))
        #expect(successor(of: next).read() == [1, 2, 3])
    }

    @Test(arguments: [0, 40, 1_000_000])
    func `an incomplete write leaves the state before it`(offset: Int) throws {
        let memory = try #require(StateMemory())
        let before = [UInt8](repeating: 7, count: 2_000_000)
        #expect(memory.write(before))
        // The second long state goes to the first slot again, and is damaged there.
        #expect(memory.write([1]))
        #expect(memory.write([UInt8](repeating: 9, count: 2_000_000)))
        var byte: UInt8 = 1
        #expect(pwrite(memory.descriptor, &byte, 1, off_t(offset)) == 1)
        #expect(successor(of: memory).read() == [1])
    }

    @Test func `foreign memory has no state`() throws {
        let memory = try #require(StateMemory())
        let bytes = [UInt8](repeating: 1, count: 100)
        #expect(pwrite(memory.descriptor, bytes, bytes.count, 0) == bytes.count)
        #expect(memory.read() == nil)
        #expect(StateMemory(open("/dev/null", O_RDWR)).read() == nil)
    }

    @Test func `a long state frees its space once short ones have followed`() throws {
        let memory = try #require(StateMemory())
        let long = [UInt8](repeating: 1, count: 8 << 20)
        #expect(memory.write(long))
        #expect(memory.write(long))
        #expect(memory.write([1]))
        #expect(memory.write([2]))
        var status = stat()
        #expect(fstat(memory.descriptor, &status) == 0)
        #expect(status.st_blocks * 512 < 1 << 20)
        #expect(successor(of: memory).read() == [2])
    }
}
