// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Synchronization

/// A value with a name on the bus: an event, an error or a request.
///
/// Its payload is the JSON of its Codable form, so programs in any language can read it.
public protocol NamedValue: Codable, Sendable {
    /// The name of the value on the bus; by default, the name of its type.
    ///
    /// Declare it if the name must survive a renaming of the type, and for two kinds of types:
    ///
    /// * The name of a nested type lacks the enclosing types: both `Inner.Job` and `Other.Job` are
    ///   `Job` on the bus, and a responder of one is asked about the other.
    /// * The name of a generic type, such as `Changed<Int>`, is not valid on the bus. Triggering or
    ///   publishing it throws ``CascadeError``, and a node that declares it cannot attach.
    ///
    ///       static let name = "InnerJob"
    static var name: String { get }
}

extension NamedValue {
    /// The name of the type.
    public static var name: String {
        typeNames.withLock { names in
            let type = ObjectIdentifier(Self.self)
            if let name = names[type] {
                return name
            }
            let name = String(describing: Self.self)
            names[type] = name
            return name
        }
    }
}

/// The names of types that have been used: the runtime takes some microseconds to find one.
private let typeNames = Mutex<[ObjectIdentifier: String]>([:])

/// A value that moves up the tree as an event, or down as a publication.
public protocol Event: NamedValue {}

/// A request to the nodes above, to which the first responder with an answer replies.
///
///     struct PriceOf: Request {
///         typealias Reply = Int
///         let item: Int
///     }
public protocol Request: NamedValue {
    /// The type of the reply.
    associatedtype Reply: Codable & Sendable
}

/// An error that responders above can receive by its type, with all its members.
///
///     struct OutOfStock: ReportableError {
///         let item: Int
///     }
///
/// Any other error can be thrown and reported as well; then only its name and message cross the
/// bus.
public protocol ReportableError: NamedValue, Error {}

/// An event of any type, as untyped responders receive it.
public struct AnyEvent: Sendable {
    /// The permanent ID of the event, as ``VisitContext/id``.
    public let id: EventID
    /// The name of the event.
    public let name: EventName
    /// The path of the node that raised or published the event.
    public let origin: NodePath
    /// The payload as the origin sent it; JSON unless ``contentType`` says otherwise.
    public let payload: [UInt8]
    /// The content type of the payload; `nil` for JSON.
    public let contentType: String?
    /// The strings that travel beside the payload.
    public let attributes: [String: String]

    init(_ visit: Visit) {
        id = visit.id
        name = visit.name
        origin = visit.origin
        payload = Array(visit.payload)
        contentType = visit.contentType
        attributes = visit.attributeTable
    }

    /// Decodes the event or request as a value of a type. Throws ``CascadeError`` if the payload
    /// does not fit.
    public func decoded<V: NamedValue>(as type: V.Type = V.self) throws -> V {
        try PayloadCodec.decode(type, from: payload, contentType: contentType)
    }
}

// MARK: - Conversion to the session

extension Raising {
    init(_ value: some NamedValue, _ attributes: [String: String]) throws {
        self.init(
            name: try EventName(naming: type(of: value)), payload: try PayloadCodec.encode(value),
            attributes: [Attribute](attributes))
    }

    /// Creates the replacement of a visit's message, with the same attributes.
    init(_ replacement: some NamedValue, inPlaceOf visit: Visit) throws {
        self.init(
            name: try EventName(naming: type(of: replacement)),
            payload: try PayloadCodec.encode(replacement), attributes: visit.attributes)
    }
}

extension [Attribute] {
    init(_ table: [String: String]) {
        self = table.sorted { $0.key < $1.key }.map { Attribute($0.key, $0.value) }
    }
}

extension Visit {
    var attributeTable: [String: String] {
        Dictionary(attributes.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    }
}

extension EventName {
    /// Returns the name of a type. Throws ``CascadeError`` if it violates the rule for names.
    init<V: NamedValue>(naming type: V.Type) throws {
        do {
            try self.init(V.name)
        } catch {
            throw CascadeError(
                .badName, "\(error); declare 'static let name' in the type with a valid one")
        }
    }
}
