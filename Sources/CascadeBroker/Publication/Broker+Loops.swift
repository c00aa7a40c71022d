// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Causes: a message that causes itself again and again is stopped.
extension Broker {
    /// The error of a message that has more causes than the bus allows. It names both ends.
    ///
    /// `what` is the word for it: event, publication.
    func looped(
        _ what: String, _ name: EventName?, _ origin: Origin, _ cause: EventID?
    ) -> Failure {
        let limit = configuration.limits.causes
        let path = hierarchy.path(of: origin.node)
        let id = EventID(session: sessions[origin.session], sequence: origin.sequence)
        var message =
            "the \(what) \(words(name))(\(id)) has more than \(limit) causes (limit causes)"
        if let cause {
            message += "; the nearest is \(words(self.name(of: cause)))(\(cause))"
        }
        return Failure(.looped, message: message, node: path)
    }

    private func words(_ name: EventName?) -> String {
        name.map { "'\($0)' " } ?? ""
    }

    /// The name under which something was raised, if the bus still knows.
    private func name(of id: EventID) -> EventName? {
        trace(of: id)?.name
    }

    /// A publication that was brought about by too many others, one behind the other.
    mutating func endLooped(publication: PublicationIndex) {
        let record = traffic.publications[publication]
        traffic.publications[publication].fail(
            looped(
                "publication", names.name(record.message.name) ?? record.message.text,
                record.message.origin, record.message.cause))
        end(publication, .looped)
    }
}
