# SPDX-License-Identifier: Apache-2.0
"""The messages of the Cascade wire protocol as bytes, for peers that send wrong ones or break off midway.

A program that only needs a worker uses the package cascade_bus.
"""

import dataclasses
import enum
import hashlib
import struct

NO_NODE = 0xFFFF_FFFF
HEADER = struct.Struct("<BBHIIIQQIIII")
FIELD = struct.Struct("<HI")
STOP = struct.Struct("<IHH")
u8, u16, u32, u64 = (struct.Struct("<" + width).pack for width in "BHIQ")


class Command(enum.IntEnum):
    HELLO, WELCOME, ATTACH, ATTACHED, CHANGE, LEAVE, DETACHED = range(1, 8)
    REFUSED, VIOLATION, BEAT, CREDIT, DEFINE, DONE, MOVED = range(8, 15)
    TRIGGER, VISIT, ACCEPT, VERDICT, OUTCOME, ITINERARY, CANCEL = range(16, 23)
    ACCEPTED, PUBLISH, DELIVERY, SETTLED, RECEIVED, RECALL = range(23, 29)
    QUERY, ANSWER, ACTIVATE, ADMINISTER = range(32, 36)
    SET, ENVIRONMENT = range(40, 42)


class Flag(enum.IntFlag):
    INCLUDING_SELF, PASS_ON_LOSS, UNACKNOWLEDGED, WANTS_TRAIL = 1, 2, 4, 8
    ADDRESSED_IN_FIELDS, NEXT_ACCEPTED, REPEATING, RETAINED = 16, 32, 64, 128
    CARRIES_REPLY = 2  # On an outcome.
    DURABLE = 128  # On a trigger.
    SENT_AGAIN = 64  # On what is raised, visited or delivered.


class Tag(enum.IntEnum):
    PROTOCOL_NAME, VERSION_MIN, VERSION_MAX, SESSION_ID, PROGRAM, PROCESS_ID = range(1, 7)
    IS_RESUMED, BUS, LIMIT, CREDIT, BEAT_INTERVAL, RELEASE = range(7, 13)
    NODE, PATH, RESPONDER, SUBSCRIPTION, IS_INACTIVE, TAKES_OVER = range(16, 22)
    CONCURRENCY, PREFETCH, NODE_NUMBER, NAME, IS_PRESENTED, DETACHES_ORPHANS = range(22, 28)
    TRIGGERS, REPORTS, SAFETY, EXPLICIT_RESPONDERS, DEFINITION = range(28, 33)
    SECRET, WANTS_OUTCOMES = 13, 33
    ATTRIBUTE, CONTENT_TYPE, ORIGIN, VISITED, ERROR_NAME, ERROR_MESSAGE = range(48, 54)
    ERROR_NODE, RECIPIENT, CAUSE, ERROR_TITLE, ERROR_CAUSE, HOLD, EVENT_ID = range(54, 61)
    SENTENCE, HOLDER = range(64, 66)
    DEPTH, RECORD, COUNTER, PATH_PATTERN, NAME_PATTERN, HAPPENING_KIND = range(80, 86)
    SINCE, DOCUMENT, LANE, PAYLOAD, WITH_PAYLOADS = range(86, 91)
    VALUE, KEY, WATCHED_KEY, PREFERENCE, WATCHED_PREFERENCE, RULE = range(96, 102)
    TEXT, OLD_TEXT, IS_FOR_ITSELF, IS_STICKY, REDUCER = range(102, 107)
    HANDLER = 112


class Error(enum.IntEnum):
    GREETING_REQUIRED, SHUTTING_DOWN, NOT_READING, MESSAGE_LOST, LEFT = 4, 9, 10, 11, 65


class Kind(enum.IntEnum):
    RECEIVE, HANDLE, TRANSFORM, OBSERVE, RESPOND = range(1, 6)
    CATCH, RECEIVE_ERROR, HANDLE_ERROR, TRANSFORM_ERROR = range(6, 10)


class Reducer(enum.IntEnum):
    SUM, MIN, MAX, ALL, ANY, FIRST, APPEND, MERGE = range(1, 9)


class Lane(enum.IntEnum):
    event, error, request, cascade = range(4)


class Verdict(enum.IntEnum):
    PASSED, HANDLED, REPLACED, FAILED, ANSWERED = range(1, 6)


class Outcome(enum.IntEnum):
    handled, unhandled, failed, timedOut, delivered, noSubscriber = range(1, 7)
    caught, rejected, looped, cascaded = range(7, 11)


CAUSES_MAX = 0xFFFF


def lane_code(lane, causes=0):
    """The meaning of a trigger's `code` in the header."""
    return lane | min(causes, CAUSES_MAX) << 8


def parts(*values):
    """A compact value: texts, and integers as bytes of their width (`u8(1)`, `u32(7)`)."""
    return b"".join(
        u16(len(value.encode())) + value.encode() if isinstance(value, str) else value
        for value in values)


def text_part(value, offset):
    length, = struct.unpack_from("<H", value, offset)
    return value[offset + 2:offset + 2 + length].decode()


def encoded_fields(fields):
    """The bytes of (tag, value) pairs; a value is text or bytes."""
    encoded = b""
    for tag, value in fields:
        value = value.encode() if isinstance(value, str) else value
        encoded += FIELD.pack(tag, len(value)) + value
    return encoded


def decoded_fields(encoded):
    """The (tag, value) pairs that the bytes are; the values are bytes."""
    fields, offset = [], 0
    while offset < len(encoded):
        tag, length = FIELD.unpack_from(encoded, offset)
        offset += FIELD.size
        fields.append((tag, encoded[offset:offset + length]))
        offset += length
    return fields


def event_id(session, sequence):
    """The ID of an event, of the 32 digits of its session and its number there."""
    return u64(int(session[:16], 16)) + u64(int(session[16:], 16)) + u64(sequence)


def failure(fields):
    """The error in (tag, value) pairs, as a dictionary."""
    words = {
        Tag.ERROR_NAME: "name", Tag.ERROR_MESSAGE: "message", Tag.ERROR_TITLE: "title",
        Tag.ERROR_NODE: "node"}
    error = {words[tag]: value.decode() for tag, value in fields if tag in words}
    causes = [failure(decoded_fields(value)) for tag, value in fields if tag == Tag.ERROR_CAUSE]
    return {**error, "causes": causes} if causes else error


def setting(key, json=None, is_for_itself=False):
    """A value to set, or to unset if there is none."""
    return encoded_fields(
        [(Tag.KEY, key)] + [(Tag.TEXT, json)] * (json is not None)
        + [(Tag.IS_FOR_ITSELF, b"")] * is_for_itself)


def offer(key, json, reducer):
    """An offered preference."""
    return encoded_fields([(Tag.KEY, key), (Tag.TEXT, json), (Tag.REDUCER, u8(reducer))])


@dataclasses.dataclass
class Message:
    """A message; its fields are (tag, value) pairs in their order."""

    command: Command
    flags: int = 0
    index: int = 0
    node: int = NO_NODE
    name: int = 0
    id: int = 0
    sequence: int = 0
    origin: int = NO_NODE
    session: int = 0
    time: int = 0
    code: int = 0
    fields: list = dataclasses.field(default_factory=list)
    payload: bytes = b""

    def encoded(self):
        fields = encoded_fields(self.fields)
        header = HEADER.pack(
            self.command, self.flags, self.index, len(fields), self.node, self.name, self.id,
            self.sequence, self.origin, self.session, self.time, self.code)
        return header + fields + self.payload

    @classmethod
    def decoded(cls, frame):
        """The message in a frame; `None` if its command is unknown."""
        command, flags, index, fields_length, *rest = HEADER.unpack_from(frame)
        try:
            message = cls(Command(command), flags, index, *rest)
        except ValueError:
            return None
        end = HEADER.size + fields_length
        message.fields = decoded_fields(frame[HEADER.size:end])
        message.payload = frame[end:]
        return message

    @property
    def lane(self):
        """The lane of a trigger or visit."""
        return Lane(self.code & 0xFF)

    @property
    def causes(self):
        """The number of causes of a trigger, visit, publication or delivery."""
        return self.code >> 8 & CAUSES_MAX

    def values(self, tag):
        return [value for number, value in self.fields if number == tag]

    def text(self, tag):
        return next((value.decode() for value in self.values(tag)), None)

    def integer(self, tag):
        return next((int.from_bytes(value, "little") for value in self.values(tag)), 0)

    def definitions(self):
        """The definitions of a `define`, each as (kind, number, text)."""
        for value in self.values(Tag.DEFINITION):
            kind, number = struct.unpack_from("<BI", value)
            if kind == 3:
                yield "session", number, "%016x%016x" % struct.unpack_from("<QQ", value, 5)
            else:
                yield {1: "name", 2: "node"}.get(kind), number, text_part(value, 5)

    def node_numbers(self):
        """The nodes of an `attached`, each as (number, path)."""
        return [
            (struct.unpack_from("<I", value)[0], text_part(value, 4))
            for value in self.values(Tag.NODE_NUMBER)]

    def changes(self):
        """The changes of an `environment`, each as (tag, key, value, old value); `None` for no value."""
        for tag, encoded in self.fields:
            if tag in (Tag.VALUE, Tag.PREFERENCE):
                change = {tag: value.decode() for tag, value in decoded_fields(encoded)}
                yield tag, change[Tag.KEY], change.get(Tag.TEXT), change.get(Tag.OLD_TEXT)

    def stops(self):
        """The stops of an `itinerary`, each as (node, responder)."""
        return [(node, responder) for node, responder, _ in STOP.iter_unpack(self.payload)]


def session_of(secret):
    """The ID derived from a session's secret, as two halves, the upper first."""
    digest = hashlib.sha256(secret).digest()
    return digest[7::-1] + digest[15:7:-1]


def hello(session, program, process_id, is_resumed, secret=None):
    fields = [
        (Tag.PROTOCOL_NAME, "cascade"), (Tag.VERSION_MIN, u16(1)), (Tag.VERSION_MAX, u16(1)),
        (Tag.SESSION_ID, session), (Tag.PROGRAM, program), (Tag.PROCESS_ID, u32(process_id))]
    fields += [(Tag.IS_RESUMED, b"")] * is_resumed
    return Message(Command.HELLO, fields=fields + [(Tag.SECRET, secret)] * (secret is not None))


def declaration(path, responders, subscriptions=(), prefetch=256):
    """A node declaration; a responder is a kind, a name and an optional predicate."""
    return encoded_fields(
        [(Tag.PATH, path)]
        + [(Tag.RESPONDER, parts(u8(kind), *texts)) for kind, *texts in responders]
        + [(Tag.SUBSCRIPTION, name) for name in subscriptions]
        + [(Tag.CONCURRENCY, u16(1)), (Tag.PREFETCH, u16(prefetch))])


def attach(request, nodes, names):
    fields = [(Tag.NODE, node) for node in nodes] + [(Tag.NAME, name) for name in names]
    return Message(Command.ATTACH, id=request, fields=fields)
