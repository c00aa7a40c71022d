// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `cascadectl` at three sites: looking up, down, and at a site of one's own.
@FaultThread
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: SiteFamily.isBuilt))
struct SiteLookingTests {
    @Test func `The sites are listed from each of them, with their places there`() throws {
        try SiteFamily.open { family in
            let below = try family.ulm.run(["sites", "--json"])
            #expect(below.exitCode == 0, "\(below.diagnostics.text)")
            let document = try below.document()
            #expect(document["schema"].string == "cascade/v1/sites")
            #expect(document["site"].string == "ulm")
            #expect(document["path"].strings == ["root", "hq", "ulm"])
            #expect(Self.places(document) == ["root /root:", "hq /hq:", "ulm /"])
            #expect(document["sites"].elements.map { $0["state"].string } == ["up", "up", "up"])
            let middle = try family.hq.run(["sites", "--json"]).document()
            #expect(Self.places(middle) == ["root /root:", "hq /", "ulm /shop/ulm"])
            let top = try family.root.run(["sites", "--json"]).document()
            #expect(Self.places(top) == ["root /", "hq /hq", "ulm /hq/shop/ulm"])
            let text = try family.hq.run(["sites"]).output.text
            #expect(text.hasPrefix("SITE") && text.contains("/shop/ulm"))
        }
    }

    private static func places(_ document: JSONText) -> [String] {
        document["sites"].elements.map {
            "\($0["name"].string ?? "") \($0["place"].string ?? "")"
        }
    }

    @Test func `A bus that is no site says so`() throws {
        try FaultBus.open { bus in
            let ending = try bus.run(["sites"])
            #expect(ending.exitCode == 3 && ending.output.bytes.isEmpty)
            #expect(ending.diagnostics.text.contains("this bus is not a site"))
            let absent = try bus.run(["list", "--site", "ulm"])
            #expect(absent.exitCode == 4)
            #expect(absent.diagnostics.text.contains("there is no site 'ulm'"))
            #expect(try bus.counters()["unhandled"] ?? 0 == 0)
            let doctor = try bus.run(["doctor", "--json"]).document()
            #expect(!doctor["checks"].elements.contains { $0["name"].string == "site" })
        }
    }

    @Test func `One tree has the nodes of all sites at their places`() throws {
        try SiteFamily.open { family in
            let kitchen = try family.ulm.attach("/kitchen", ["--handle", "Order"])
            let below = try family.ulm.run(["tree", "--sites", "--json"]).document()
            let paths = Set(below["nodes"].elements.compactMap { $0["path"].string })
            for path in [
                "/root:", "/root:/witness", "/hq:", "/hq:/witness", "/hq:/shop", "/", "/kitchen",
                "/witness",
            ] {
                #expect(paths.contains(path), "\(path)")
            }
            #expect(below["unanswered"].isMissing)
            let above = try family.root.run(["tree", "--sites", "--json"]).document()
            let node = above["nodes"].elements.first {
                $0["path"].string == "/hq/shop/ulm/kitchen"
            }
            #expect(node?["parent"].string == "/hq/shop/ulm")
            let mount = above["nodes"].elements.first { $0["path"].string == "/hq/shop/ulm" }
            #expect(mount?["site"].string == "ulm")
            let text = try family.root.run(["tree", "--sites"]).output.text
            #expect(text.contains("      ● /kitchen"))
            withExtendedLifetime(kitchen) {}
        }
    }

    @Test func `A command asks another site by its name, its place, or a path of it`() throws {
        try SiteFamily.open { family in
            let kitchen = try family.ulm.attach(
                "/kitchen", ["--handle", "Order", "--env", "mode=\"dark\"", "--env-self", "x=1"])
            for (bus, options) in [
                (family.root, ["/kitchen", "--site", "ulm"]),
                (family.root, ["/kitchen", "--site", "/hq/shop/ulm"]),
                (family.root, ["/hq/shop/ulm/kitchen"]),
                (family.hq, ["/shop/ulm/kitchen"]), (family.hq, ["/ulm:/kitchen"]),
                (family.hq, ["/kitchen", "--site", "/ulm:"]),
                (family.ulm, ["/kitchen"]), (family.ulm, ["/kitchen", "--site", "ulm"]),
            ] {
                for command in [["status"], ["tree"], ["preferences"]] {
                    let ending = try bus.run(command + options + ["--json"])
                    #expect(ending.exitCode == 0, "\(options): \(ending.diagnostics.text)")
                    #expect(ending.output.text.contains("\"/kitchen\""), "\(ending.output.text)")
                }
            }
            let floor = try family.ulm.run(["status", "/hq:/shop", "--json"])
            #expect(floor.exitCode == 0, "\(floor.diagnostics.text)")
            #expect(try floor.document()["bus"].string == "hq")
            let value = try family.hq.run(["env", "get", "x", "--at", "/shop/ulm/kitchen"])
            #expect(value.output.text == "1\n", "\(value.diagnostics.text)")
            for command in [
                ["list"], ["top"], ["graph"], ["undelivered"], ["env", "list", "--at", "/kitchen"],
                ["rules"], ["metrics"], ["ping"], ["policy"], ["dump"], ["under-way"],
                ["subscribers", "Bell"], ["route", "Order", "--from", "/kitchen"],
            ] {
                let ending = try family.root.run(command + ["--site", "ulm", "--json"])
                let isNone = command[0] == "subscribers"
                #expect(
                    ending.exitCode == (isNone ? 3 : 0), "\(command): \(ending.diagnostics.text)")
            }
            let sibling = try family.ulm.run(["list", "--site", "root", "--json"])
            #expect(sibling.exitCode == 0 && sibling.output.text.contains("\"/hq\""))
            let absent = try family.ulm.run(["list", "--site", "mars"])
            #expect(absent.exitCode == 4)
            #expect(absent.diagnostics.text.contains("that can be seen are 'hq', 'root', 'ulm'"))
            let nowhere = try family.hq.run(["status", "/shop/ulm/kitchn"])
            #expect(nowhere.exitCode == 4)
            #expect(nowhere.diagnostics.text.contains("did you mean '/shop/ulm/kitchen'?"))
            let ofOption = try family.hq.run(["status", "/kitchn", "--site", "ulm"])
            #expect(ofOption.exitCode == 4)
            #expect(ofOption.diagnostics.text.contains("no node at '/kitchn'"))
            #expect(ofOption.diagnostics.text.contains("did you mean '/kitchen'?"))
            withExtendedLifetime(kitchen) {}
        }
    }

    @Test func `A trail, a route and an explanation go on at the sites above`() throws {
        try SiteFamily.open { family in
            let outcome = try family.ulm.run(["trigger", "Paid", "--from", "/witness", "--json"])
            #expect(outcome.exitCode == 0, "\(outcome.diagnostics.text)")
            let event = try outcome.document()
            #expect(event["by"].string == "/hq:/shop")
            let id = event["id"].string ?? ""
            for bus in [family.ulm, family.hq, family.root] {
                let trail = try bus.run(["trace", id, "--sites", "--json"])
                #expect(trail.exitCode == 0, "\(trail.diagnostics.text)")
                let paths = try trail.document()["trail"].elements.map { $0["path"].string }
                let shop =
                    bus === family.ulm ? "/hq:/shop" : bus === family.hq ? "/shop" : "/hq/shop"
                #expect(paths.last == shop, "\(paths)")
                #expect(paths.count == 2, "\(paths)")
            }
            let route = try family.ulm.run(["route", "Paid", "--sites", "--json"]).document()
            let asked = route["responders"].elements.filter { $0["asked"].bool == true }
            #expect(asked.map { $0["path"].string } == ["/", "/hq:/shop"])
            try family.root.run(["env", "set", "season=\"winter\""]).expectSuccess()
            let explained = try family.ulm.run([
                "env", "explain", "season", "--at", "/witness", "--sites", "--json",
            ]).document()
            #expect(explained["above"].elements.map { $0["site"].string } == ["hq", "root"])
            #expect(explained["above"][1]["value"].string == "winter")
            #expect(explained["above"][1]["at"].string == "/hq:")
        }
    }

    @Test(.enabled(if: SiteServer.isInstalled))
    func `A parent that shows its child the mount alone ends a route, and hides values`() throws {
        try SitePair.openOnServer { pair, _ in
            let shop = try pair.hq.attach("/shop", ["--handle", "Paid", "--env", "season=1"])
            let values = try pair.ulm.start(["env", "watch", "season", "--at", "/witness"])
            #expect(try values.output.line(containing: "season is 1") != nil)
            let held = try pair.ulm.run(["trigger", "Paid", "--hold", "20s"])
            #expect(held.exitCode == 0, "\(held.diagnostics.text)")
            let route = try pair.ulm.run(["route", "Paid", "--from", "/witness", "--sites"])
            #expect(route.exitCode == 0, "\(route.diagnostics.text)")
            #expect(route.output.text.contains("receive Paid"))
            #expect(
                route.diagnostics.text.contains("nothing above is shown: ")
                    && route.diagnostics.text.contains("may not inspect '/hq:/shop'"))
            let explained = try pair.ulm.run([
                "env", "explain", "season", "--at", "/witness", "--sites",
            ])
            #expect(explained.exitCode == 0, "\(explained.diagnostics.text)")
            let lines = explained.output.text.split(separator: "\n")
            #expect(lines.contains("season is 1 at /witness"))
            #expect(lines.contains("season has a value that policy hides at /"))
            withExtendedLifetime(shop) {}
        }
    }

    @Test func `A cut site is named with its time, and found by check and doctor`() throws {
        try SiteFamily.open { family in
            #expect(try family.ulm.run(["check"]).exitCode == 0)
            family.sites["ulm"]?.kill()
            try family.hq.wait("/shop/ulm", "vacant")
            let ending = try family.hq.run(["list", "--site", "/shop/ulm"])
            #expect(ending.exitCode == 75)
            #expect(ending.diagnostics.text.contains("is cut: '/shop/ulm' has been vacant for"))
            let sites = try family.root.run(["sites", "--json"]).document()
            let ulm = sites["sites"].elements.first { $0["name"].string == "ulm" }
            #expect(ulm?["state"].string == "cut")
            let tree = try family.root.run(["tree", "--sites", "--json"]).document()
            #expect(tree["unanswered"][0]["place"].string == "/hq/shop/ulm")
            #expect(tree["unanswered"][0]["message"].string?.contains("has been cut for") == true)
        }
    }

    @Test func `A stopped site does not answer in time, and the others do`() throws {
        try SiteFamily.open { family in
            family.sites["ulm"]?.signal(SIGSTOP)
            let ending = try family.hq.run(["list", "--site", "/shop/ulm"])
            #expect(ending.exitCode == 75, "\(ending.diagnostics.text)")
            #expect(ending.diagnostics.text.contains("did not answer"))
            let tree = try family.root.run(["tree", "--sites", "--json"]).document()
            #expect(tree["unanswered"].elements.map { $0["site"].string } == ["ulm"])
            let paths = tree["nodes"].elements.compactMap { $0["path"].string }
            #expect(paths.contains("/hq/shop"))
            family.sites["ulm"]?.signal(SIGCONT)
        }
    }

    @Test func `A site is watched by asking it again`() throws {
        try SiteFamily.open { family in
            // The site may be asked for the first time after the node has attached.
            let monitor = try family.root.start(
                ["monitor", "--site", "ulm", "--kind", "topology", "--since", "1m"])
            let list = try family.hq.start(["list", "--site", "ulm", "--watch", "--json"])
            _ = try list.output.line(containing: "/witness")
            let kitchen = try family.ulm.attach("/kitchen", ["--handle", "Order"])
            #expect(try list.output.line(containing: "/kitchen") != nil)
            #expect(try monitor.output.line(containing: "/kitchen") != nil)
            withExtendedLifetime(kitchen) {}
        }
    }
}
