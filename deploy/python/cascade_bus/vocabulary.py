# SPDX-License-Identifier: Apache-2.0
"""The numbers of the wire protocol, version 1: commands, flags, fields and lists.

The names are those of the protocol's document, in Python's spelling.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

PROTOCOL_NAME = "cascade"
PROTOCOL_VERSION = 1

#: The value of a header's ``node`` or ``origin`` that means no node.
NO_NODE = 0xFFFFFFFF


class Command(IntEnum):
    """The command of a message."""

    HELLO = 1
    WELCOME = 2
    ATTACH = 3
    ATTACHED = 4
    CHANGE = 5
    LEAVE = 6
    DETACHED = 7
    REFUSED = 8
    VIOLATION = 9
    BEAT = 10
    CREDIT = 11
    DEFINE = 12
    DONE = 13
    MOVED = 14
    TRIGGER = 16
    VISIT = 17
    ACCEPT = 18
    VERDICT = 19
    OUTCOME = 20
    ITINERARY = 21
    CANCEL = 22
    ACCEPTED = 23
    PUBLISH = 24
    DELIVERY = 25
    SETTLED = 26
    RECEIVED = 27
    RECALL = 28
    QUERY = 32
    ANSWER = 33
    ACTIVATE = 34
    ADMINISTER = 35
    SET = 40
    ENVIRONMENT = 41


class Flag(IntFlag):
    """The flags of a header. Several flags share a bit: the command tells them apart."""

    INCLUDING_SELF = 1 << 0
    WITH_SUBTREE = 1 << 0
    PASS_ON_LOSS = 1 << 1
    CARRIES_REPLY = 1 << 1
    UNACKNOWLEDGED = 1 << 2
    WANTS_TRAIL = 1 << 3
    ADDRESSED_IN_FIELDS = 1 << 4
    NEXT_ACCEPTED = 1 << 5
    REPEATING = 1 << 6
    SENT_AGAIN = 1 << 6
    DURABLE = 1 << 7
    RETAINED = 1 << 7


class Tag(IntEnum):
    """The tag of a field."""

    PROTOCOL_NAME = 1
    VERSION_MIN = 2
    VERSION_MAX = 3
    SESSION_ID = 4
    PROGRAM = 5
    PROCESS_ID = 6
    IS_RESUMED = 7
    BUS = 8
    LIMIT = 9
    CREDIT = 10
    BEAT_INTERVAL = 11
    RELEASE = 12
    SECRET = 13
    REATTACH = 14
    NODE = 16
    PATH = 17
    RESPONDER = 18
    SUBSCRIPTION = 19
    IS_INACTIVE = 20
    TAKES_OVER = 21
    CONCURRENCY = 22
    PREFETCH = 23
    NODE_NUMBER = 24
    NAME = 25
    IS_PRESENTED = 26
    DETACHES_ORPHANS = 27
    TRIGGERS = 28
    REPORTS = 29
    SAFETY = 30
    EXPLICIT_RESPONDERS = 31
    DEFINITION = 32
    WANTS_OUTCOMES = 33
    ACTIVATION = 34
    ATTRIBUTE = 48
    CONTENT_TYPE = 49
    ORIGIN = 50
    VISITED = 51
    ERROR_NAME = 52
    ERROR_MESSAGE = 53
    ERROR_NODE = 54
    RECIPIENT = 55
    CAUSE = 56
    ERROR_TITLE = 57
    ERROR_CAUSE = 58
    HOLD = 59
    EVENT_ID = 60
    TRACE_PARENT = 62
    FAILED_RECIPIENT = 63
    SENTENCE = 64
    HOLDER = 65
    OMITTED_VISITS = 66
    DEPTH = 80
    RECORD = 81
    COUNTER = 82
    PATH_PATTERN = 83
    NAME_PATTERN = 84
    HAPPENING_KIND = 85
    SINCE = 86
    DOCUMENT = 87
    LANE = 88
    PAYLOAD = 89
    WITH_PAYLOADS = 90
    USE = 92
    MOMENT = 93
    PER_SECOND = 94
    WITH_TRAILS = 95
    VALUE = 96
    KEY = 97
    WATCHED_KEY = 98
    PREFERENCE = 99
    WATCHED_PREFERENCE = 100
    RULE = 101
    TEXT = 102
    OLD_TEXT = 103
    IS_FOR_ITSELF = 104
    IS_STICKY = 105
    REDUCER = 106
    HANDLER = 112
    CHANGES = 120
    GONE = 121
    INTERVAL = 122
    ACTIVITY = 123
    OTHER_ACTIVITY = 124
    POLICY_VERB = 128
    POLICY_USER = 129
    POLICY_GROUP = 130
    POLICY_UNIT = 131
    POLICY_KEY = 132
    RAISED_AS = 136
    ENDED = 137
    STAND_IN = 138
    IS_MOUNT = 139
    IS_FALLBACK = 140
    SOURCE = 141


class ResponderKind(IntEnum):
    """What a responder answers, and about which lane it is asked."""

    RECEIVE = 1
    HANDLE = 2
    TRANSFORM = 3
    OBSERVE = 4
    RESPOND = 5
    CATCH = 6
    RECEIVE_ERROR = 7
    HANDLE_ERROR = 8
    TRANSFORM_ERROR = 9


class VerdictCode(IntEnum):
    """A node's answer to one visit or delivery."""

    PASSED = 1
    HANDLED = 2
    REPLACED = 3
    FAILED = 4
    ANSWERED = 5


class OutcomeCode(IntEnum):
    """How an event or publication ended."""

    HANDLED = 1
    UNHANDLED = 2
    FAILED = 3
    TIMED_OUT = 4
    DELIVERED = 5
    NO_SUBSCRIBER = 6
    CAUGHT = 7
    REJECTED = 8
    LOOPED = 9
    CASCADED = 10


class Destination(IntEnum):
    """The subscribers that get a publication."""

    LAST = 1
    LAST_LEVEL = 2
    FIRST_LEVEL = 3
    ALL = 4


class Lane(IntEnum):
    """The lane of a message on its way up."""

    EVENT = 0
    ERROR = 1
    REQUEST = 2
    CASCADE = 3


class Safety(IntEnum):
    """The level at which declarations of names are enforced."""

    DISABLED = 0
    RELAXED = 1
    STRICT = 2


class Reducer(IntEnum):
    """The function that reduces the preferences of a subtree."""

    SUM = 1
    MIN = 2
    MAX = 3
    ALL = 4
    ANY = 5
    FIRST = 6
    APPEND = 7
    MERGE = 8


class Query(IntEnum):
    """What an inspector asks the daemon."""

    TREE = 1
    BUS = 2
    SUBSCRIBERS = 3
    TRACE = 4
    UNDELIVERED = 5
    CHECK = 6
    ROUTE = 7
    MONITOR = 8
    ENVIRONMENT = 9
    EXPLANATION = 10
    ENVIRONMENT_TREE = 11
    PREFERENCES = 12
    RULES = 13
    RULES_DIFFERENCE = 14
    POLICY = 20
    POLICY_TEST = 21
    METRICS = 22
    SUMMARY = 23
    SITES = 24
    ACTIVITY = 25
    UNDER_WAY = 26


class NodeStateCode(IntEnum):
    """The state of a node, as the query for the tree reports it."""

    LIVE = 1
    INACTIVE = 2
    UNRESPONSIVE = 3
    LEAVING = 4
    VACANT = 5


class ErrorCode(IntEnum):
    """The numbers of errors: below 32 of violations, below 64 of refusals, below 96 of detachments."""

    MALFORMED = 1
    UNKNOWN_COMMAND = 2
    VERSION_MISMATCH = 3
    GREETING_REQUIRED = 4
    ALREADY_GREETED = 5
    NOT_YOURS = 6
    CREDIT_EXCEEDED = 7
    SUPERSEDED = 8
    SHUTTING_DOWN = 9
    NOT_READING = 10
    MESSAGE_LOST = 11
    TOO_MANY_SESSIONS = 12
    BAD_NAME = 32
    BAD_PATH = 33
    PATH_TAKEN = 34
    TOO_DEEP = 35
    LIMIT_REACHED = 36
    NO_SUCH_NODE = 37
    ROOT_RESERVED = 38
    UNKNOWN_QUERY = 39
    BAD_PREDICATE = 40
    CYCLE = 41
    NO_SUCH_EVENT = 42
    RESERVED_NAME = 43
    BAD_KEY = 44
    BAD_VALUE = 45
    OTHER_REDUCER = 46
    BAD_RULE = 47
    NO_SUCH_KEY = 48
    NOT_DURABLE = 49
    JOURNAL_FAILED = 50
    NUMBER_TAKEN = 51
    DENIED = 56
    TAKEN_OVER = 64
    LEFT = 65
    SESSION_ENDED = 66
    DRAINED = 67
    DETACHED = 68
    PARENT_GONE = 69


#: Violations after which the session resumes on another connection.
RESUMABLE_VIOLATIONS = frozenset(
    {
        ErrorCode.GREETING_REQUIRED,
        ErrorCode.SHUTTING_DOWN,
        ErrorCode.NOT_READING,
        ErrorCode.MESSAGE_LOST,
    }
)


def error_name(code: int) -> str:
    """Returns the protocol's name of an error number, such as ``pathTaken``."""
    try:
        words = ErrorCode(code).name.lower().split("_")
    except ValueError:
        return f"error{code}"
    return words[0] + "".join(word.capitalize() for word in words[1:])
