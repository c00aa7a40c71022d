// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// A captured message that can be raised or published again.
struct CapturedRaising {
    let when: Timestamp
    let raising: Raising
    let options: RaiseOptions

    /// The reason why a monitor event cannot be raised again.
    enum Omission: Error {
        /// It is not a raised or published message.
        case nothingRaised
        /// It has a cause in the capture, which raises it again.
        case consequence
        /// The bus raises it by itself.
        case busOwn
        /// Its payload was too long for the capture.
        case payloadLeftOut
        case unreadable
    }

    /// - Parameter destination: The path below which all messages are raised.
    init(_ happening: JSONValue, into destination: NodePath) throws(Omission) {
        guard let what = happening["what"]?.string, ["triggered", "published"].contains(what) else {
            throw .nothingRaised
        }
        guard happening["cause"] == nil else {
            throw .consequence
        }
        guard happening["leftOutBytes"] == nil else {
            throw .payloadLeftOut
        }
        guard let name = try? happening["name"]?.string.map({ try EventName($0) }),
            let when = happening["when"]?.string.flatMap({ Timestamp($0) }),
            let text = (happening["start"] ?? happening["path"])?.string,
            let path = try? NodePath(text)
        else {
            throw .unreadable
        }
        guard !name.description.hasPrefix("cascade.") else {
            throw .busOwn
        }
        let components = destination.components + path.components
        let origin = NodePath(joining: components.map(String.init))
        self.when = when
        raising = Raising(
            name: name, payload: try Self.payload(happening),
            contentType: happening["contentType"]?.string,
            attributes: (happening["attributes"]?.members ?? []).map {
                Attribute($0.key, $0.value.plainText)
            },
            message: happening["message"]?.string, title: happening["title"]?.string)
        options = RaiseOptions(
            try Self.direction(happening), from: .outsider(origin),
            flags: happening["retained"]?.bool == true ? .retained : [])
    }

    private static func payload(_ happening: JSONValue) throws(Omission) -> [UInt8] {
        if let json = happening["payload"] {
            return Array(json.text.utf8)
        }
        guard let text = happening["payloadBase64"]?.string else {
            return []
        }
        guard let bytes = Base64.decode(text) else {
            throw .unreadable
        }
        return bytes
    }

    private static func direction(_ happening: JSONValue) throws(Omission) -> RaiseOptions.Direction
    {
        if happening["what"]?.string == "published" {
            let named = PublishingDestination.allCases.first { $0.name == happening["to"]?.string }
            return .down(named ?? .last)
        }
        guard let lane = Lane.allCases.first(where: { $0.name == happening["lane"]?.string }) else {
            throw .unreadable
        }
        return .upward(lane)
    }
}
