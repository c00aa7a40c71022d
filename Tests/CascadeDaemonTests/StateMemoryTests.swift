// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CascadeDaemon

@Suite struct StateMemoryTests {
    /// The same memory, as the process after this one has it.
    private func successor(of memory: StateMemory) -> StateMemory {
        StateMemory(dup(memory.descriptor))
    }

    @Test("New memory has nothing in it")
    func empty() throws {
        #expect(try #require(StateMemory()).read() == nil)
    }

    @Test("What was written last is read by the next process, and by the one after that")
    func last() throws {
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

    @Test("A write that was cut short leaves what was before", arguments: [0, 40, 1_000_000])
    func cutShort(offset: Int) throws {
        let memory = try #require(StateMemory())
        let before = [UInt8](repeating: 7, count: 2_000_000)
        #expect(memory.write(before))
        // The second one goes to the first place again, and is damaged there.
        #expect(memory.write([1]))
        #expect(memory.write([UInt8](repeating: 9, count: 2_000_000)))
        var byte: UInt8 = 1
        #expect(pwrite(memory.descriptor, &byte, 1, off_t(offset)) == 1)
        #expect(successor(of: memory).read() == [1])
    }

    @Test("Memory of others is not taken for a state")
    func ofOthers() throws {
        let memory = try #require(StateMemory())
        let bytes = [UInt8](repeating: 1, count: 100)
        #expect(pwrite(memory.descriptor, bytes, bytes.count, 0) == bytes.count)
        #expect(memory.read() == nil)
        #expect(StateMemory(open("/dev/null", O_RDWR)).read() == nil)
    }

    @Test("A long state that is followed by short ones takes up no room any longer")
    func givenBack() throws {
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
