// SPDX-License-Identifier: Apache-2.0

/// A fact of a message that programs can search the journal by.
package enum LogField: String, CaseIterable, Sendable {
    case messageID = "MESSAGE_ID"
    /// The process that a message is about, which the journal looks up.
    case objectProcess = "OBJECT_PID"
    case node = "CASCADE_NODE"
    case peerProcess = "CASCADE_PEER_PID"
    case peerUnit = "CASCADE_PEER_UNIT"
    /// The name of an event, or of a key.
    case event = "CASCADE_EVENT"
    case eventID = "CASCADE_EVENT_ID"
    case outcome = "CASCADE_OUTCOME"
    /// A rule of a policy or of the environment, as its file and line.
    case rule = "CASCADE_RULE"
    /// What there is too much of, how much of it is used, and how much may be.
    case quota = "CASCADE_QUOTA"
    case used = "CASCADE_USED"
    case limit = "CASCADE_LIMIT"
    /// The protocol's name for what went wrong.
    case error = "CASCADE_ERROR"
    /// A setting of the configuration.
    case setting = "CASCADE_SETTING"
    /// How many messages were left out.
    case count = "CASCADE_COUNT"
}
