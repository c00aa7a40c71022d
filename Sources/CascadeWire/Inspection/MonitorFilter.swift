// SPDX-License-Identifier: Apache-2.0

/// The selection of monitor events that a monitor receives.
package struct MonitorFilter: Equatable, Sendable {
    /// Patterns with `*` and `?`; `nil` for everything.
    package var name: String?
    package var path: String?
    /// Empty for all kinds.
    package var kinds: [MonitorEventKind]
    /// How far back to begin, in milliseconds, as far as the bus remembers.
    package var sinceMilliseconds: UInt32
    /// Whether what is raised and published is told with its payload.
    package var withPayloads: Bool

    package init(
        name: String? = nil, path: String? = nil, kinds: [MonitorEventKind] = [],
        sinceMilliseconds: UInt32 = 0, withPayloads: Bool = false
    ) {
        self.name = name
        self.path = path
        self.kinds = kinds
        self.sinceMilliseconds = sinceMilliseconds
        self.withPayloads = withPayloads
    }

    init(fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init()
        while let field = try fields.next() {
            switch field.tag {
            case .namePattern: name = try field.text()
            case .pathPattern: path = try field.text()
            case .happeningKind:
                let number: UInt8 = try field.integer()
                guard let kind = MonitorEventKind(rawValue: number) else {
                    throw WireError(
                        .unknownQuery, "there is no kind of happening \(number)")
                }
                kinds.append(kind)
            case .since: sinceMilliseconds = try field.integer()
            case .withPayloads: withPayloads = true
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        if let name {
            fields.append(.namePattern, name)
        }
        if let path {
            fields.append(.pathPattern, path)
        }
        for kind in kinds {
            fields.append(.happeningKind, kind.rawValue)
        }
        if sinceMilliseconds > 0 {
            fields.append(.since, sinceMilliseconds)
        }
        fields.append(.withPayloads, if: withPayloads)
    }
}
