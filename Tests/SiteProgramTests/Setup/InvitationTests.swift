// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import NATS
import Testing

@testable import cascade_site

@Suite struct InvitationTests {
    private static let key = UserKey(secret: [UInt8](repeating: 7, count: 32))
    private static let trust = """
        -----BEGIN CERTIFICATE-----
        MIIBszCCAVmgAwIBAgIUa
        -----END CERTIFICATE-----

        """

    static func invitation(key: UserKey? = key) -> Invitation {
        Invitation(
            trust: trust, realm: "shops", parent: "hq", site: "ulm", mount: "/shop/ulm",
            server: ServerAddress(host: "hq.example", port: 7_222), publicKey: Self.key.publicKey,
            key: key, expiry: Timestamp(microseconds: 1_800_000_000_000_000))
    }

    private func error(_ text: String) -> InvitationError? {
        do throws(InvitationError) {
            _ = try Invitation(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [key, nil])
    func `an invitation is read as it was written`(key: UserKey?) throws {
        let invitation = Self.invitation(key: key)
        let read = try Invitation(parsing: invitation.text)
        #expect(read == invitation)
        #expect(read.mount == "/shop/ulm")
        #expect(read.server.description == "hq.example:7222")
        #expect(read.trust == Self.trust)
        #expect(read.key?.seed == key?.seed)
        #expect(invitation.text.contains("SU") == (key != nil))
    }

    @Test func `carriage returns, and lines around an invitation, do not matter`() throws {
        let text = "Welcome!\n" + Self.invitation().text + "\nConnection closed.\n"
        let carried = text.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\r\n")
        #expect(try Invitation(parsing: carried) == Self.invitation())
    }

    @Test func `every changed byte is noticed`() {
        let bytes = Array(Self.invitation().text.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            let error = error(String(decoding: changed, as: UTF8.self))
            #expect(error != nil, "a change of byte \(index) is not noticed")
        }
    }

    @Test func `every truncated invitation is refused`() {
        let text = Self.invitation().text
        for count in 0..<(text.utf8.count - 1) {
            #expect(error(String(text.prefix(count))) != nil, "\(count) bytes are accepted")
        }
    }

    @Test func `errors say what to do`() throws {
        #expect(error("") == .notAnInvitation)
        #expect(error("cascade-site invitation 2\n") == .otherVersion("2"))
        let text = Self.invitation().text
        #expect(error(String(text.prefix(300))) == .truncated)
        #expect(error(text.replacing("/shop/ulm", with: "/shop/bon")) == .garbled)
        let descriptions = [
            InvitationError.notAnInvitation, .otherVersion("2"), .truncated, .garbled,
            .invalid("x"),
        ].map(\.description)
        #expect(
            descriptions == [
                "this is not an invitation; 'cascade-site add NAME PATH' at the parent writes one",
                "the invitation has version '2', and this release knows version 1; install the same "
                    + "release of cascade-site at both sites",
                "the invitation is truncated: its last line is missing; copy the whole file again",
                "the invitation was changed on its way: its checksum does not match; copy the file "
                    + "again",
                "the invitation is not valid: x; request a new one at the parent",
            ])
    }

    @Test(arguments: [
        ("realm: shops", "realm: sh ops", "the name 'sh ops' of a site or realm is not valid"),
        ("mount: /shop/ulm", "mount: shop", "does not begin with /"),
        ("server: hq.example:7222", "server: hq.example:0", "the address of the server"),
        ("parent: hq\n", "", "'parent' is missing"),
        ("BEGIN CERTIFICATE", "BEGIN NOTHING", "the certificate"),
        ("key: SU", "key: SA", "the key"),
        ("expires: 2027", "expires: never", "the time of expiry"),
    ])
    func `a member that is not valid is named`(part: String, other: String, reason: String) {
        var lines = Self.invitation().text.split(separator: "\n").dropLast().joined(separator: "\n")
        #expect(lines.contains(part))
        lines = lines.replacing(part, with: other) + "\n"
        if reason == "the certificate" {
            lines = lines.replacing("END CERTIFICATE", with: "END NOTHING")
        }
        let error = error(lines + "checksum: \(Fingerprint.of(lines))\n")
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
}
