// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeConsole

@Suite struct KeyringTests {
    private var generator = SystemRandomNumberGenerator()
    private var keyring = Keyring()

    @Test mutating func `a key opens one session, whose token is then accepted`() throws {
        let key = keyring.makeKey(using: &generator)
        #expect(key.utf8.count == 32)
        let token = try keyring.redeem(key, second: 1, using: &generator)
        #expect(keyring.accepts(token))
        #expect(token != key)
        let again = status(of: key, second: 2)
        #expect(again == 401)
        #expect(keyring.accepts(token))
    }

    @Test mutating func `nothing but a token is accepted`() throws {
        let key = keyring.makeKey(using: &generator)
        let token = try keyring.redeem(key, second: 1, using: &generator)
        let others = ["", key, String(token.dropLast()), token + "0", token.uppercased() + " "]
        for other in others {
            #expect(!keyring.accepts(other), "\(other)")
        }
    }

    @Test mutating func `after five wrong keys in a second the others wait, but not the right one`()
        throws
    {
        let key = keyring.makeKey(using: &generator)
        for _ in 0..<Keyring.faultsPerSecond {
            let status = status(of: "wrong", second: 7)
            #expect(status == 401)
        }
        let sixth = status(of: "wrong", second: 7)
        #expect(sixth == 429)
        let right = status(of: key, second: 7)
        #expect(right == 200)
        let nextSecond = status(of: "wrong", second: 8)
        #expect(nextSecond == 401)
    }

    @Test mutating func `the oldest token ends with the one over the limit`() throws {
        var tokens: [String] = []
        for _ in 0...Keyring.tokenCountMax {
            let key = keyring.makeKey(using: &generator)
            tokens.append(try keyring.redeem(key, second: 1, using: &generator))
        }
        #expect(!keyring.accepts(tokens[0]))
        #expect(tokens.dropFirst().allSatisfy { keyring.accepts($0) })
    }

    private mutating func status(of key: String, second: Int64) -> Int {
        do throws(Refusal) {
            _ = try keyring.redeem(key, second: second, using: &generator)
            return 200
        } catch {
            return error.status
        }
    }
}
