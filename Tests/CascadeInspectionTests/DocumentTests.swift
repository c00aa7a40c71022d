// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import CascadeJSON
import CascadeWire
import FoundationEssentials
import Testing

@Suite struct DocumentTests {
    @Test(arguments: RecordedDocument.all)
    func `a recorded document is read and written byte for byte`(
        _ document: RecordedDocument
    ) throws {
        let lines = try document.lines
        #expect(!lines.isEmpty)
        for line in lines {
            #expect(try document.rewritten(line) == line)
        }
    }

    @Test(arguments: RecordedDocument.all)
    func `unknown members are ignored at every level`(_ document: RecordedDocument) throws {
        for line in try document.lines {
            // Objects whose names are data take any member, so only these names are added.
            let extended = line.replacing("{\"schema\":", with: "{\"new\":[{}],\"schema\":")
                .replacing("{\"path\":", with: "{\"new\":{\"a\":null},\"path\":")
                .replacing("{\"kind\":", with: "{\"new\":1,\"kind\":")
            #expect(extended != line)
            #expect(try document.rewritten(extended) == line)
        }
    }

    @Test func `the coders of Foundation read and write documents`() throws {
        let text = try RecordedDocument.text(of: "dump.json")
        let dump = try DumpDocument(jsonText: text)
        let decoded = try JSONDecoder().decode(
            RulesDocument.self, from: JSONEncoder().encode(dump.rules))
        #expect(decoded == dump.rules)
        let tree = try JSONDecoder().decode(
            TreeDocument.self, from: JSONEncoder().encode(dump.tree))
        #expect(tree.nodes.map(\.path) == dump.tree.nodes.map(\.path))
        // They do not keep the order of counters.
        #expect(tree.brief == dump.tree.brief)
        #expect(tree["/kitchen"]?.counters?["visits"] == 6)
    }

    @Test func `the members of a document are typed`() throws {
        let dump = try DumpDocument(jsonText: RecordedDocument.text(of: "dump.json"))
        let oven = try #require(dump.tree["/kitchen/oven"])
        #expect(oven.parent == "/kitchen" && oven.state == .live && oven.relation == .contained)
        #expect(oven.responders.map(\.kind) == [.receive, .observe])
        #expect(oven.responders.map(\.name) == ["Noted", "*"])
        #expect(oven.since < dump.when)
        #expect(dump.tree.brief["/kitchen/oven"]?.counters == nil)
        #expect(dump.subscribers["TemperatureChanged"]?[.last] == ["/kitchen/oven"])

        let caught = try OutcomeDocument(jsonText: RecordedDocument.text(of: "outcome-caught.json"))
        #expect(caught.outcome?.known == .caught && caught.by == "/shop")
        #expect(caught.error?.name == "tooCold")
        #expect(caught.trail?.map(\.verdict).first == "failed")

        let unhandled = try UndeliveredDocument(
            jsonText: RecordedDocument.text(of: "undelivered.json"))
        #expect(unhandled.undelivered.first { $0.name == "Held" }?.isHeld == true)
        let lost = unhandled.undelivered.first { $0.name == "Lost" }
        #expect(lost?.payload?["a"]?.elements == [.number("1"), .number("2.50"), "x"])
    }

    @Test func `what becomes of an event that no node handled is recorded`() throws {
        let lines = try RecordedDocument.text(of: "monitor-trails.json").split(separator: "\n")
        let events = try lines.map { try MonitorEventDocument(jsonText: String($0)) }
        #expect(
            events.map(\.what) == [
                "attached", "ended", "kept", "retried", "forgotten", "changed", "sampled",
            ])
        #expect(events[1].trail?.map(\.waited) == [830] && events[1].begun != nil)
        #expect(events.last?.count == 9)
        #expect(events.last?.leftOut?["unhandled"] == 5)
        let document = try UnderWayDocument(jsonText: RecordedDocument.text(of: "under-way.json"))
        #expect(document.count == 1)
        #expect(document.underWay.map(\.by) == ["/kitchen"])
        #expect(document.underWay[0].begun == document.underWay[0].since)
    }

    @Test func `a value that is null differs from a missing one`() throws {
        let text = #"{"schema":"cascade/v1/env","key":"a","value":null,"from":"/"}"#
        let document = try EnvironmentValueDocument(jsonText: text)
        #expect(document.value == .null)
        #expect(document.jsonText == text)
        let missing = try EnvironmentValueDocument(
            jsonText: #"{"schema":"cascade/v1/env","key":"a"}"#)
        #expect(missing.value == nil)
    }

    @Test func `a word of a newer daemon is kept`() throws {
        let text = """
            {"schema":"cascade/v1/route","name":"A","lane":"express","from":"/","responders":[]}
            """
        let route = try RouteDocument(jsonText: text)
        #expect(route.lane.known == nil && route.lane == "express")
        #expect(route.jsonText == text)
    }

    @Test func `a trace names the messages that the message caused`() throws {
        let id = "688c4f7546ab7fbf079da97cdcdacb52-1"
        let text =
            #"{"schema":"cascade/v1/outcome","id":"\#(id)","lane":"event","caused":[{"id":"\#(id)","#
            + #""name":"Bell","lane":"publication","origin":"/shop","outcome":"delivered"}]}"#
        let trace = try OutcomeDocument(jsonText: text)
        #expect(trace.caused?.map(\.outcome?.known) == [.delivered])
        #expect(trace.caused?.map(\.lane) == ["publication"])
        #expect(trace.jsonText == text)
    }

    // MARK: - Errors

    @Test(arguments: [
        (
            #"{"bus":"b","nodes":[]}"#, "schema", "the member is missing"
        ),
        (
            #"{"schema":"cascade/v1/list","bus":"b","nodes":[]}"#, "schema",
            "expected 'cascade/v1/tree', found 'cascade/v1/list'"
        ),
        (
            #"{"schema":"cascade/v1/tree","bus":7,"nodes":[]}"#, "bus",
            "expected a string, found the number 7"
        ),
        (
            #"{"schema":"cascade/v1/tree","bus":"b","nodes":{}}"#, "nodes",
            "expected an array, found an object"
        ),
        (
            #"{"schema":"cascade/v1/tree","bus":"b","nodes":[{"path":"kitchen"}]}"#,
            "nodes[0].path", "expected a path, found 'kitchen'"
        ),
        (
            #"{"schema":"cascade/v1/tree","bus":"b","nodes":[{"path":"/","state":"odd"}]}"#,
            "nodes[0].state", "expected a state of a node, found 'odd'"
        ),
        (
            #"""
            {"schema":"cascade/v1/tree","bus":"b","nodes":[
            {"path":"/","state":"live","active":true,"pid":-1}]}
            """#, "nodes[0].pid",
            "expected a whole number from 0 to 4294967295, found the number -1"
        ),
        ("[]", "", "expected an object, found an array"),
        ("{", "", "it is not JSON: expected the name of a member in double quotes at byte 2"),
    ])
    func `an error names the member, what was expected and what was found`(
        text: String, member: String, problem: String
    ) {
        let error = #expect(throws: InspectionError.self) {
            try TreeDocument(jsonText: text)
        }
        #expect(error?.schema == "cascade/v1/tree")
        #expect(error?.member == member)
        #expect(error?.problem == problem)
    }
}
