// SPDX-License-Identifier: Apache-2.0

/// The meaning of a field. A reader skips tags that it does not know, so fields can be added to any
/// command.
package enum FieldTag: UInt16, Sendable, CaseIterable {
    // Greeting
    case protocolName = 1
    case versionMin = 2
    case versionMax = 3
    case sessionID = 4
    case program = 5
    case processID = 6
    case isResumed = 7
    case bus = 8
    case limit = 9
    case credit = 10
    case beatInterval = 11
    case release = 12
    case secret = 13
    case reattach = 14

    // A node's declaration
    case node = 16
    case path = 17
    case responder = 18
    case subscription = 19
    case isInactive = 20
    case takesOver = 21
    case concurrency = 22
    case prefetch = 23
    case nodeNumber = 24
    case name = 25
    case isPresented = 26
    case detachesOrphans = 27
    case triggers = 28
    case reports = 29
    case safety = 30
    case explicitResponders = 31
    case wantsOutcomes = 33
    case activation = 34

    // Definitions of names, nodes and sessions
    case definition = 32

    // Events and their outcomes
    case attribute = 48
    case contentType = 49
    case origin = 50
    case visited = 51
    case errorName = 52
    case errorMessage = 53
    case errorNode = 54
    case recipient = 55
    case cause = 56
    case errorTitle = 57
    case errorCause = 58
    case hold = 59
    case eventID = 60
    case traceParent = 62
    case failedRecipient = 63
    case omittedVisits = 66

    // Refusals
    case sentence = 64
    case holder = 65

    // Inspection
    case depth = 80
    case record = 81
    case counter = 82
    case pathPattern = 83
    case namePattern = 84
    case happeningKind = 85
    case since = 86
    case document = 87
    case lane = 88
    case payload = 89
    case withPayloads = 90
    case use = 92
    case moment = 93
    case perSecond = 94
    case withTrails = 95

    // Environment and preferences
    case value = 96
    case key = 97
    case watchedKey = 98
    case preference = 99
    case watchedPreference = 100
    case rule = 101
    case text = 102
    case oldText = 103
    case isForItself = 104
    case isSticky = 105
    case reducer = 106

    // Durable events
    case handler = 112
    case userID = 113
    case start = 114
    case age = 115
    case expiry = 116
    case isProven = 117

    // Changes of the tree, and the activity of nodes
    case changes = 120
    case gone = 121
    case interval = 122
    case activity = 123
    case otherActivity = 124

    // Policy
    case policyVerb = 128
    case policyUser = 129
    case policyGroup = 130
    case policyUnit = 131
    case policyKey = 132

    // Other buses
    case raisedAs = 136
    case ended = 137
    case standIn = 138
    case isMount = 139
    case isFallback = 140
    case source = 141
}
