// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

extension SessionEffect {
    /// The effect as one line; `>` marks a sent message.
    var line: String {
        switch self {
        case .send(let header): "> " + header.line
        case .sendMessage(let message): "> " + Self.line(of: message)
        case .sendRaised(let header, let fields, _): "> " + Self.line(of: header, fields)
        case .reconnect: "reconnect"
        case .welcomed: "welcomed"
        case .invoke(let invocation):
            switch invocation.target {
            case .responder(let place): "run \(invocation.node).\(place)"
            case .subscription: "run \(invocation.node) subscription"
            }
        case .ended(let header, _): "ended \(header.sequence)"
        case .accepted(let sequence): "accepted \(sequence)"
        case .settled(let settled): "settled \(settled.ended.sequence) \(settled.ended.code)"
        case .settledBefore(let settled): "settled before \(settled.name) \(settled.ended.code)"
        case .raiseRefused(let sequence, let refused): "ended \(sequence) \(refused.code)"
        case .attached(let request): "attached \(request)"
        case .done(let request): "done \(request)"
        case .refused(let request, let refused): "refused \(request) \(refused.code)"
        case .detached(let detached): "detached \(detached.path) \(detached.reason)"
        case .answered(let request, _): "answered \(request)"
        case .environment(let path, let changes):
            "environment \(path) "
                + changes.changes.map { "\($0.key)=\($0.new ?? "")" }.joined(separator: " ")
        case .cancelled: "cancelled"
        case .moved(let old, let new): "moved \(old) \(new)"
        case .beat(let beat): "beat \(beat)"
        case .creditReturned: "credit"
        case .violated(let violation): "violated \(violation.code)"
        }
    }

    private static func line(of message: [UInt8]) -> String {
        if let hello = try? Hello(parsing: message) {
            return hello.isResumed ? "hello again" : "hello"
        }
        if let attach = try? Attach(parsing: message) {
            return "attach " + attach.nodes.map(\.path.description).joined(separator: " ")
        }
        guard let header = try? Header(parsing: message) else {
            return "\(message)"
        }
        if header.command == .leave, header.node != Header.noNode {
            return "leave \(header.id) of \(header.node)"
        }
        return "\(header.command) \(header.id)"
    }

    private static func line(of header: Header, _ fields: [UInt8]) -> String {
        guard let raised = try? RaisedFields(fields: FieldReader(fields)) else {
            return "\(header.command) ?"
        }
        let name = raised.name?.description ?? "name \(header.name)"
        switch header.command {
        case .verdict:
            return header.line + (raised.name.map { " \($0)" } ?? "")
        default:
            let origin = raised.origin?.description ?? "node \(header.node)"
            return "\(header.command) \(header.sequence) \(name) from \(origin)"
        }
    }
}

extension Header {
    fileprivate var line: String {
        switch command {
        case .accept: "accept \(id)"
        case .verdict:
            "verdict \(id) " + (VerdictCode(rawValue: code)?.name ?? "?")
                + (index > 0 ? " at stop \(index)" : "")
                + (flags.contains(.nextAccepted) ? ", next accepted" : "")
        case .credit: "credit \(code) of node \(node)"
        case .cancel: "cancel \(id) of \(sequence)"
        default: "\(command) \(id)"
        }
    }
}
