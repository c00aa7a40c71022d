// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

/// An event of the bus itself, as a monitor prints it.
///
/// The members from `attributes` to `leftOutBytes`, except ``count``, are the content of a message,
/// which a monitor gets only if it asks for payloads.
public struct MonitorEventDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/monitor"

    /// `nil` within the document of a node.
    public internal(set) var schema: DocumentSchema<Self>? = DocumentSchema<Self>()
    public var when: Timestamp
    public var kind: DocumentWord<MonitorEventKind>
    /// The occurrence, such as `triggered`, `ended` or `attached`.
    public var what: String
    /// The node that the event concerns.
    public var path: NodePath?
    /// The name of the message or key.
    public var name: EventName?
    /// The ID of the message.
    public var id: EventID?
    /// The lane of the message; `nil` for a publication.
    public var lane: DocumentWord<Lane>?
    /// The outcome of the message.
    public var outcome: DocumentWord<OutcomeCode>?
    /// The node that handled, answered or caught the message.
    public var by: NodePath?
    /// The recipients of a publication, or the nodes where a cascade ran.
    public var paths: [NodePath]?
    /// The error with which the message ended.
    public var error: Failure?
    /// The message during whose visit this one was raised.
    public var cause: EventID?
    /// The first node whose responders could be asked.
    public var start: NodePath?
    /// The destination of a publication.
    public var to: DocumentWord<PublishingDestination>?
    /// Whether a publication is retained.
    public var retained: Bool?
    /// The process that the event concerns.
    public var pid: UInt32?
    /// The reason why a node was detached.
    public var reason: String?
    /// The path of a node before a move.
    public var from: NodePath?
    /// The attributes of the message.
    public var attributes: NamedMembers<String>?
    /// The title of an error message.
    public var title: String?
    /// The text of an error message, or a further sentence about the event.
    public var message: String?
    /// A number, such as that of monitor events that the bus left out.
    public var count: UInt64?
    /// When the message was raised, if the monitor asks for trails.
    public var begun: Timestamp?
    /// The visits of the message, if the monitor asks for trails.
    public var trail: [VisitEntry]?
    /// The number of further visits.
    public var omittedVisits: UInt32?
    /// The messages that the monitor was not told of in the last second, by their outcomes; `begun` counts
    /// those that had just been raised.
    public var leftOut: NamedMembers<UInt64>?
    /// The payload, if it is JSON.
    public var payload: JSONValue?
    /// The payload in Base64, if it is not JSON.
    public var payloadBase64: String?
    /// The content type of the payload; `nil` for JSON.
    public var contentType: String?
    /// The size of a payload that is too long to be shown, in bytes.
    public var leftOutBytes: UInt64?
}

/// Past monitor events, oldest first.
package struct PastMonitorEventsDocument: InspectionDocument {
    package static let schemaName = "cascade/v1/happenings"

    package private(set) var schema = DocumentSchema<Self>()
    package var happenings: [MonitorEventDocument]

    package static let none = PastMonitorEventsDocument(happenings: [])
}

/// The metrics of the daemon.
public struct MetricsDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/metrics"

    public private(set) var schema = DocumentSchema<Self>()
    /// The metrics in Prometheus' text format.
    public var text: String
}
