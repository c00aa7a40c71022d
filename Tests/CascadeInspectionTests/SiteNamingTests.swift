// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import CascadeWire
import Testing

/// Documents of hq, as ulm shows them, which stands at hq's `/shop/ulm`.
@Suite struct SiteNamingTests {
    private func name(_ path: NodePath) -> NodePath {
        let above = SitesAbove(of: "ulm", [SitesAbove.Step(site: "hq", mount: "/shop/ulm")])
        return above.path(path, ofSiteAt: "/hq:")
    }

    private func step(_ path: String, _ why: String) -> String {
        """
        {"path":"\(path)","responder":0,"kind":"handle","name":"Paid","asked":false,"why":"\(why)"}
        """
    }

    @Test func `The reasons of a route name places as its steps do`() throws {
        let steps = [
            step("/shop/ulm", "asked"), step("/shop", "never reached: handled at /shop/ulm[12]"),
            step("/shop", "asked, if the transform at /shop[0] keeps the name"),
            step("/", "its name is not declared at '/shop', and the safety is strict"),
            step("/", "its predicate is false: the message has no 'table'"),
            step("/", "never reached: handled at a hidden place"),
        ]
        let route = try RouteDocument(
            jsonText: """
                {"schema":"cascade/v1/route","name":"Paid","lane":"event","from":"/shop/ulm",\
                "responders":[\(steps.joined(separator: ","))]}
                """
        ).naming(name)
        #expect(route.from == "/")
        #expect(
            route.responders.map(\.path) == ["/", "/hq:/shop", "/hq:/shop", "/hq:", "/hq:", "/hq:"])
        #expect(
            route.responders.map(\.why) == [
                "asked", "never reached: handled at /[12]",
                "asked, if the transform at /hq:/shop[0] keeps the name",
                "its name is not declared at '/hq:/shop', and the safety is strict",
                "its predicate is false: the message has no 'table'",
                "never reached: handled at a hidden place",
            ])
    }

    @Test func `The rule of policy in a refusal keeps its file and its words`() {
        let rule = "denied by /etc/cascade/policy:3:1 'deny user:8 inspect /shop'"
        let refusal = "uid 8 may not inspect '/shop': \(rule)"
        #expect(refusal.renamingPlaces(name) == "uid 8 may not inspect '/hq:/shop': \(rule)")
    }

    @Test func `The reasons of an explanation name places as its candidates do`() throws {
        let explanation = try ExplanationDocument(
            jsonText: """
                {"schema":"cascade/v1/explain","key":"mode","at":"/shop/ulm","candidates":[\
                {"kind":"set","from":"/shop/ulm","won":false,"why":\
                "it is set for what is below '/shop/ulm', not for '/shop/ulm' itself"},\
                {"kind":"set","from":"/","won":false,"why":\
                "a value from outside goes before those of the node at '/'"},\
                {"kind":"rule","from":"/etc/rules:3","won":false,"why":\
                "'place == '/shop'' does not hold"},\
                {"kind":"default","from":"the reader","won":true,"why":"nothing gives one"}]}
                """
        ).naming(name)
        #expect(explanation.at == "/")
        #expect(
            explanation.candidates.map(\.from) == ["/", "/hq:", "/etc/rules:3", "the reader"])
        #expect(
            explanation.candidates.map(\.why) == [
                "it is set for what is below '/', not for '/' itself",
                "a value from outside goes before those of the node at '/hq:'",
                "'place == '/shop'' does not hold", "nothing gives one",
            ])
    }
}
