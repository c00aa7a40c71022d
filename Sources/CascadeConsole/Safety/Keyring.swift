// SPDX-License-Identifier: Apache-2.0

/// The keys of links that were printed, and the tokens of the pages that have swapped them.
///
/// A key opens one session and is then used up. A token is valid as long as the console runs.
struct Keyring {
    /// The number of tokens. A further one replaces the oldest.
    static let tokenCountMax = 64
    /// The number of links that may be open at once. A further one replaces the oldest.
    static let keyCountMax = 16
    /// The number of wrong keys in a second that are answered with 401; those behind get 429.
    static let faultsPerSecond = 5

    private var keys: [String] = []
    private var tokens: [String] = []
    /// The second of the last wrong key, and the number of wrong keys in it.
    private var faults: (second: Int64, count: Int) = (0, 0)

    /// Makes a key for a link.
    mutating func makeKey(using generator: inout some RandomNumberGenerator) -> String {
        let key = Self.secret(using: &generator)
        keys.append(key)
        if keys.count > Self.keyCountMax {
            keys.removeFirst()
        }
        return key
    }

    /// Swaps a key for a token. Throws ``Refusal`` if the key is wrong or used up.
    ///
    /// - Parameter second: The present second of any steady clock.
    mutating func redeem(
        _ key: String, second: Int64, using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> String {
        if faults.second != second {
            faults = (second, 0)
        }
        // The right key is accepted however many wrong keys others send: a key of 128 bits cannot be guessed.
        guard let found = Self.index(of: key, in: keys) else {
            guard faults.count < Self.faultsPerSecond else {
                throw Refusal(
                    429, "tooManyKeys", "Too many wrong keys: wait a second, and try again.")
            }
            faults.count += 1
            throw Refusal(
                401, "usedKey",
                "This link was used before or is not of this console: 'cascade-console' prints one when it starts, and 'cascade-console link' another."
            )
        }
        keys.remove(at: found)
        let token = Self.secret(using: &generator)
        tokens.append(token)
        if tokens.count > Self.tokenCountMax {
            tokens.removeFirst()
        }
        return token
    }

    /// Whether a token is valid.
    func accepts(_ token: String) -> Bool {
        Self.index(of: token, in: tokens) != nil
    }

    /// Returns the position of a secret. Takes the same time whichever character differs.
    private static func index(of secret: String, in secrets: [String]) -> Int? {
        var found: Int?
        let sought = Array(secret.utf8)
        for (index, candidate) in secrets.enumerated() {
            let bytes = Array(candidate.utf8)
            var difference = UInt8(bytes.count == sought.count ? 0 : 1)
            for position in bytes.indices {
                difference |= bytes[position] ^ (position < sought.count ? sought[position] : 0)
            }
            if difference == 0 {
                found = index
            }
        }
        return found
    }

    /// Returns 128 random bits in hexadecimal digits.
    private static func secret(using generator: inout some RandomNumberGenerator) -> String {
        let digits = Array("0123456789abcdef")
        return String(
            (0..<4).flatMap { _ in
                let word = generator.next() as UInt32
                return (0..<8).map { digits[Int(word >> ($0 * 4)) & 15] }
            })
    }
}
