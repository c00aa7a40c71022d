// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Changes messages for planted bugs.
extension SimulatedDaemon {
    /// Returns the message that the broker receives in place of the arrived one.
    func tamperedInput(
        _ header: Header, _ message: [UInt8]
    ) throws(WireError) -> [UInt8] {
        switch header.command {
        case .attach where simulation.triggers(.overfilledNode):
            var attach = try Attach(parsing: message)
            for index in attach.nodes.indices {
                attach.nodes[index].prefetch += 5
            }
            return attach.encoded()
        case .set where simulation.triggers(.lostAssignment):
            var set = try SetEnvironment(parsing: message)
            set.assignments = Assignments()
            return set.encoded()
        case .trigger where header.node != Header.noNode && simulation.triggers(.ownResponder):
            var header = header
            header.flags.insert(.includingSelf)
            return header.encoded() + message.dropFirst(Header.byteCount)
        default:
            return message
        }
    }

    /// Returns the message that is sent in place of the broker's; `nil` for none.
    func tamperedOutput(_ header: Header, _ message: [UInt8]) throws(WireError) -> [UInt8]? {
        switch header.command {
        case .welcome where simulation.triggers(.generousWelcome):
            var welcome = try Welcome(parsing: message)
            welcome.credit += 20
            return welcome.encoded()
        case .environment where simulation.triggers(.lostChange):
            return nil
        case .environment where simulation.triggers(.wrongValue):
            var changes = try EnvironmentChanges(parsing: message)
            for index in changes.changes.indices {
                changes.changes[index].new = "17"
            }
            return changes.encoded()
        default:
            return message
        }
    }

    /// Changes a visit, delivery or reply before it is sent.
    func tamperedForward(_ header: inout Header, _ message: inout [UInt8], to peer: PeerID) {
        guard simulation.options.bug != nil else {
            return
        }
        switch header.command {
        case .visit, .delivery:
            tamperVisit(&header, to: peer)
            if header.command == .visit, simulation.triggers(.mixedPayload) {
                message[message.count - 2] ^= 1
            }
        case .outcome where simulation.triggers(.wrongReply):
            message[message.count - 2] ^= 1
        default:
            break
        }
        message.replaceSubrange(..<Header.byteCount, with: header.encoded())
    }

    private func tamperVisit(_ header: inout Header, to peer: PeerID) {
        if simulation.triggers(.unmarkedVisit) {
            header.flags.remove(.sentAgain)
        }
        if header.command == .visit, simulation.triggers(.wrongNode) {
            header.node = wiretap.peers[peer]?.nodes.last ?? header.node
        }
        if simulation.triggers(.foreignEvent) {
            let sessions = wiretap.peers[peer]?.sessions.keys.sorted() ?? []
            header.session = sessions.last ?? header.session
        }
    }
}
