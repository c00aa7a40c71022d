// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeWire

/// A request for a document of `cascadectl`, unchanged.
struct DocumentQuery: Sendable {
    let kind: String
    let parameters: [String: String]

    /// Asks the bus. Throws ``Refusal`` if the parameters are wrong or the bus refuses.
    ///
    /// - Parameter withPayloads: Whether the answer has the payloads of messages.
    func answer(
        from sites: SiteQuestions, withPayloads: Bool
    ) async throws(Refusal) -> String {
        do {
            switch kind {
            case "sites": return try await sites.sites().jsonText
            case "trace" where parameters["sites"] != nil:
                let site = parameters["site"] == nil ? nil : try path("site")
                return try await sites.trace(eventID(), ofSiteAt: site).text
            case _ where parameters["site"] != nil:
                return try await document(ofSiteAt: path("site"), from: sites)
            case "undelivered":
                let document = try await undelivered(on: BusControl(link: sites.link))
                return (withPayloads ? document : document.withoutPayloads).jsonText
            default: return try await document(of: BusControl(link: sites.link))
            }
        } catch {
            throw Refusal(of: error)
        }
    }

    private func document(of bus: BusControl) async throws -> String {
        switch kind {
        case "status":
            return parameters["path"] == nil
                ? try await bus.status().jsonText : try await bus.status(of: path()).jsonText
        case "tree": return try await bus.tree(at: path()).brief.jsonText
        case "trace": return try await bus.trace(eventID()).jsonText
        case "env": return try await bus.environment(at: path()).jsonText
        case "explain":
            return try await bus.explanation(of: name("key"), at: path()).jsonText
        case "preferences": return try await bus.preferences(at: path()).jsonText
        case "route": return try await bus.answer(to: route()).jsonText
        case "subscribers":
            return try await bus.subscribers(to: name("name"), at: path()).jsonText
        case "check": return try await bus.check().jsonText
        case "rules": return try await bus.rules().jsonText
        case "policyTest":
            return try await bus.testPolicy(parameter("verb"), at: path()).jsonText
        default: throw Refusal(404, "noDocument", "There is no document '\(kind)'.")
        }
    }

    /// The document of a node of another site, in the names of that site.
    private func document(
        ofSiteAt place: NodePath, from sites: SiteQuestions
    ) async throws -> String {
        switch kind {
        case "status": return try await sites.status(of: path(), ofSiteAt: place).jsonText
        case "env":
            return try await sites.document(of: .environment(at: path()), ofSiteAt: place).jsonText
        case "explain":
            return try await sites.document(
                of: .explanation(of: name("key"), at: path()), ofSiteAt: place
            ).jsonText
        case "subscribers":
            return try await sites.document(
                of: .subscribers(to: name("name"), at: path()), ofSiteAt: place
            ).jsonText
        default:
            throw Refusal(404, "noDocument", "No other site is asked for the document '\(kind)'.")
        }
    }

    private func undelivered(on bus: BusControl) async throws -> UndeliveredDocument {
        parameters["id"] == nil
            ? try await bus.undelivered() : try await bus.answer(to: .undelivered(eventID()))
    }

    private func route() throws -> InspectionQuery<RouteDocument> {
        let payload: JSONValue?
        do {
            payload = try parameters["payload"].map { try JSONValue(parsing: $0, depthMax: 64) }
        } catch {
            throw Refusal(400, "badQuery", "The payload is not JSON: \(error)")
        }
        return .route(
            parameters["lane"] == "error" ? .error : .event, named: try name("name"),
            from: try path("from"), payload: payload)
    }

    // MARK: - Parameters

    private func eventID() throws(Refusal) -> EventID {
        guard let id = EventID(try parameter("id")) else {
            throw Refusal(
                400, "badQuery", "'\(parameters["id"] ?? "")' is not the ID of an event.")
        }
        return id
    }

    private func parameter(_ key: String) throws(Refusal) -> String {
        guard let value = parameters[key] else {
            throw Refusal(400, "badQuery", "The document '\(kind)' needs the parameter '\(key)'.")
        }
        return value
    }

    /// The path in a parameter; the root without one.
    func path(_ key: String = "path") throws(Refusal) -> NodePath {
        do {
            return try NodePath(parameters[key] ?? "/")
        } catch {
            throw Refusal(400, "badQuery", error.description)
        }
    }

    private func name(_ key: String) throws(Refusal) -> EventName {
        let text = try parameter(key)
        do {
            return try EventName(text)
        } catch {
            throw Refusal(400, "badQuery", error.description)
        }
    }
}

extension UndeliveredDocument {
    /// The document of a console that shows no payloads.
    var withoutPayloads: UndeliveredDocument {
        var document = self
        for index in document.undelivered.indices {
            document.undelivered[index].payload = nil
        }
        return document
    }
}

extension Refusal {
    /// The refusal of the bus.
    init(_ error: CascadeError) {
        let name = error.reason.map { "\($0)" } ?? "\(error.code)"
        let status =
            switch (error.code, error.reason) {
            case (_, .denied?): 403
            case (_, .noSuchNode?), (_, .noSuchEvent?), (_, .noSuchKey?): 404
            case (.notRunning, _): 503
            default: 400
            }
        self.init(status, name, error.message)
    }
}
