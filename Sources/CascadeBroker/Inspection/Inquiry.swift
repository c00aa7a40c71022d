// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A query on its way to its answer, which may take several turns of the broker.
struct Inquiry: Sendable {
    let peer: PeerID
    let query: Query
    /// The account charged for its time.
    let account: AccountIndex
    /// The repeating query that this is an answer to, and whether it has had one before.
    let repetition: UInt64?
    let isRepetition: Bool
    /// Steps of former turns.
    var steps = 0
    /// `nil` until its first turn.
    var progress: Progress?

    init(
        _ query: Query, by peer: PeerID, account: AccountIndex, repetition: UInt64? = nil,
        isRepetition: Bool = false
    ) {
        self.peer = peer
        self.query = query
        self.account = account
        self.repetition = repetition
        self.isRepetition = isRepetition
    }

    var lane: InquiryTable.LaneID {
        InquiryTable.LaneID(account: account, isRepeating: isRepetition)
    }

    /// How far the answer has come: what is looked at one by one, and what it has said so far.
    struct Progress: Sendable {
        enum Items: Sendable {
            case nodes([NodeIndex])
            /// Each is looked at three times.
            case checked([NodeIndex])
            case keys([EventName])
            case undelivered([UndeliveredEntry])
            case happenings([Happening])

            var count: Int {
                switch self {
                case .nodes(let nodes): nodes.count
                case .checked(let nodes): nodes.count * 3 + 1
                case .keys(let keys): keys.count
                case .undelivered(let entries): entries.count
                case .happenings(let happenings): happenings.count
                }
            }
        }

        let items: Items
        /// The item whose turn it is.
        var next = 0
        /// Only for a query for the difference of rules.
        var difference: RulesDifference?
        /// Only for a check: how far it has come, and the responders that nothing can reach, the last
        /// of the tree first.
        var reach: ReachCheck?
        var unreachable: [JSONValue] = []
        /// The answer to a query for the tree.
        var fields = FieldWriter()
        /// Any other answer: a document with one list.
        private(set) var text = ""
        private var isFirst = true

        init(_ items: Items) {
            self.items = items
        }

        /// - Parameter head: the document without its list.
        init(_ items: Items, _ head: JSONValue, list: String) {
            self.items = items
            text = String(head.text.dropLast()) + ",\"\(list)\":["
        }

        var byteCount: Int {
            max(fields.bytes.count, text.utf8.count + unreachable.count * 128)
        }

        mutating func append(
            _ element: JSONValue, for viewer: inout Viewer
        ) throws(WireError) {
            let before = text.utf8.count
            text += isFirst ? "" : ","
            text += element.text
            isFirst = false
            try viewer.spend((text.utf8.count - before) / 16)
        }

        /// The whole document.
        var document: String {
            text + "]}"
        }
    }
}
