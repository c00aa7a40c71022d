# SPDX-License-Identifier: Apache-2.0
"""The actions of the console, on a bus whose policy allows some of them and hides a part of the tree."""

import json
import os
import re
import tempfile
import threading
import time
import unittest

from running import Bus, Console, await_true

NAMES = [
    "retry", "trigger", "publish", "set", "activate", "deactivate", "drain", "detach", "move", "clear",
]
SECRET = "Xq7Secret"
POLICY = """\
allow attach, subscribe, trigger, publish, set, inspect, administer / to everyone
deny inspect /vault to everyone
deny set /locked to everyone
deny administer /locked to everyone
"""


class ActionTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        handle, cls.policy = tempfile.mkstemp(suffix=".policy")
        with os.fdopen(handle, "w") as file:
            file.write(POLICY)
        cls.bus = Bus("--policy", cls.policy)
        cls.bus.attach("/shop", "--handle", "Order", "--subscribe", "Bell")
        cls.bus.attach("/locked", "--subscribe", "Lamp")
        cls.log = tempfile.NamedTemporaryFile("r", suffix=".log")
        cls.console = Console(cls.bus, "--allow-actions", log=cls.log.name)
        cls.session = cls.console.open_session()
        cls.number = 0

    @classmethod
    def tearDownClass(cls):
        cls.console.close()
        cls.bus.close()
        cls.log.close()
        os.unlink(cls.policy)

    def act(self, action, console=None, **members):
        type(self).number += 1
        body = {"request": f"test-{self.number}", **members}
        status, _, content = (console or self.console).ask("POST", f"/v1/action/{action}", body)
        return status, json.loads(content)

    def done(self, action, **members):
        status, document = self.act(action, **members)
        self.assertEqual(status, 200, document)
        return document

    def refused(self, status, action, **members):
        got, document = self.act(action, **members)
        self.assertEqual(got, status, document)
        return document["error"]

    def undelivered(self):
        return self.bus.ctl("undelivered")["undelivered"]

    def trigger_nobody(self):
        """Raises an event that nobody handles, and returns its ID."""
        return self.bus.ctl("trigger", "Nobody", '{"n":1}', "--from", "/shop")["id"]

    # MARK: - What they do

    def test_an_event_is_triggered_with_its_trail(self):
        document = self.done("trigger", name="Order", payload={"table": 4}, **{"from": "/shop"})
        self.assertEqual(document["schema"], "cascade/v1/outcome")
        self.assertEqual((document["outcome"], document["by"]), ("handled", "/shop"))
        self.assertEqual([visit["path"] for visit in document["trail"]], ["/shop"])
        self.assertEqual(self.bus.ctl("trace", document["id"])["outcome"], "handled")

    def test_a_publication_is_delivered(self):
        document = self.done("publish", name="Bell", to="all")
        self.assertEqual((document["outcome"], document["paths"]), ("delivered", ["/shop"]))

    def test_a_value_is_set_and_unset(self):
        document = self.done("set", at="/shop", values={"mode": "dark"})
        self.assertEqual(document["schema"], "cascade/v1/envSet")
        self.assertEqual(self.bus.ctl("env", "get", "mode", "--at", "/shop")["value"], "dark")
        self.done("set", at="/shop", unset=["mode"])
        self.assertEqual(self.bus.ctl("env", "--at", "/shop")["values"], [])
        self.assertEqual(self.refused(404, "set", at="/shop", unset=["mode"])["name"], "noSuchKey")

    def test_a_node_is_deactivated_and_activated(self):
        self.assertEqual(self.done("deactivate", path="/shop")["active"], False)
        self.assertEqual(self.done("publish", name="Bell", to="all")["outcome"], "noSubscriber")
        self.assertEqual(self.done("activate", path="/shop")["active"], True)
        self.assertEqual(self.done("publish", name="Bell", to="all")["outcome"], "delivered")

    def test_several_nodes_are_named_before_they_leave(self):
        self.bus.attach("/yard")
        self.bus.attach("/yard/crane")
        error = self.refused(409, "detach", path="/yard", subtree=True)
        self.assertEqual((error["count"], error["nodes"]), (2, ["/yard", "/yard/crane"]))
        self.refused(409, "detach", path="/yard", subtree=True, confirmed=1)
        document = self.done("move", path="/yard/crane", under="/shop")
        self.assertEqual(document["to"], "/shop/crane")
        self.assertEqual(self.done("drain", path="/shop/crane")["nodes"], ["/shop/crane"])
        self.assertEqual(self.done("detach", path="/yard", subtree=True)["change"], "detached")
        self.assertEqual(self.refused(404, "drain", path="/yard")["name"], "noSuchNode")

    def test_a_retry_that_is_pressed_twice_raises_once(self):
        event = self.trigger_nobody()
        unhandled = self.bus.ctl("status")["counters"]["unhandled"]
        body = {"request": "pressed", "id": event}
        answers = []

        def press():
            answers.append(self.console.ask("POST", "/v1/action/retry", body))

        threads = [threading.Thread(target=press) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        press()
        self.assertEqual({(status, content) for status, _, content in answers},
                         {(200, answers[0][2])})
        document = json.loads(answers[0][2])
        self.assertEqual(document["outcome"], "unhandled")
        self.assertEqual(self.bus.ctl("status")["counters"]["unhandled"], unhandled + 1)
        lines = [line for line in self.log_lines() if event in line]
        self.assertEqual(len(lines), 1, lines)
        self.done("clear")
        self.assertEqual(self.undelivered(), [])
        self.assertEqual(self.refused(404, "retry", id=event)["name"], "noSuchEvent")

    # MARK: - Who may

    def log_lines(self):
        with open(self.log.name) as file:
            return file.read().splitlines()

    def test_each_action_is_one_line_of_the_log(self):
        before = len(self.log_lines())
        self.done("trigger", name="Order", **{"from": "/shop"})
        self.refused(403, "set", at="/locked", values={"a": 1})
        self.refused(400, "move", path="/shop")
        lines = await_true(lambda: self.log_lines()[before:], "a line of the log")
        self.assertEqual(
            [re.sub(r"^.*? asked for ", "", line) for line in lines],
            ["trigger Order at /shop: handled", "set a at /locked: denied", "move: badAction"])

    def test_what_policy_denies_is_refused_with_its_rule(self):
        for name, members in [
            ("set", {"at": "/locked", "values": {"a": 1}}), ("drain", {"path": "/locked"}),
            ("detach", {"path": "/locked"}), ("activate", {"path": "/locked"}),
            ("deactivate", {"path": "/locked"}), ("move", {"path": "/locked", "under": "/shop"}),
            ("move", {"path": "/shop", "under": "/locked"}),
        ]:
            error = self.refused(403, name, **members)
            verb = "set" if name == "set" else "administer"
            self.assertEqual(error["rule"], f"deny {verb} /locked to everyone")
            self.assertEqual(error["file"], self.policy)
            self.assertEqual(error["line"], 3 if name == "set" else 4)

    def test_the_session_says_what_may_be_done_where(self):
        self.assertEqual(
            self.session["rights"], ["inspect", "trigger", "publish", "set", "administer"])
        self.assertEqual(
            self.session["actions"], [{"name": name, "allowed": True, "admitted": True} for name in NAMES])
        _, _, content = self.console.ask("POST", "/v1/session", {"path": "/locked"})
        actions = {action["name"]: action for action in json.loads(content)["actions"]}
        self.assertEqual(
            [name for name in NAMES if actions[name]["allowed"]], ["trigger", "publish"])
        self.assertEqual(
            (actions["drain"]["rule"], actions["drain"]["line"]),
            ("deny administer /locked to everyone", 4))
        self.assertIn("/locked", actions["drain"]["message"])

    def test_only_the_actions_of_the_list_are_admitted(self):
        console = Console(self.bus, "--allow-actions=trigger,activate")
        try:
            session = console.open_session()
            allowed = [action["name"] for action in session["actions"] if action["allowed"]]
            self.assertEqual(allowed, ["trigger", "activate", "deactivate"])
            for name in NAMES:
                status, document = self.act(name, console)
                if name in allowed:
                    self.assertEqual(status, 400, name)
                else:
                    self.assertEqual(status, 403, name)
                    self.assertIn("--allow-actions", document["error"]["message"])
            self.assertEqual(self.act("nothing", console)[0], 404)
        finally:
            console.close()

    # MARK: - What may not be seen

    def test_nothing_of_a_hidden_subtree_is_in_any_answer(self):
        self.bus.attach(f"/vault/{SECRET}", "--handle", f"Open{SECRET}")
        # The bus has it: an event reaches it.
        raised = self.bus.ctl("trigger", f"Open{SECRET}", "--from", f"/vault/{SECRET}")
        self.assertEqual(raised["outcome"], "handled")
        self.bus.ctl("trigger", f"Lost{SECRET}", "--from", f"/vault/{SECRET}")
        answers = []
        ask = lambda *request: answers.append(self.console.ask(*request)[2])
        ask("POST", "/v1/session", {"path": "/vault"})
        end = time.monotonic() + 2.5
        members = {"page": "hidden", "urgent": True}
        while time.monotonic() < end:
            status, _, content = self.console.ask("POST", "/v1/frame", members)
            answers.append(content)
            frame = json.loads(content)
            members = {"page": "hidden", "after": frame["frame"], "epoch": frame["epoch"]}
        for document in [
            "status", "tree", "undelivered", "check", "rules", "env", "preferences",
            "subscribers?name=Bell", "route?name=Order&from=/shop", f"trace?id={raised['id']}",
            "status?path=/vault", "tree?path=/vault", "env?path=/vault",
            "policyTest?verb=inspect&path=/vault", "explain?key=mode&path=/vault",
        ]:
            ask("GET", f"/v1/document/{document}")
        for answer in answers:
            self.assertNotIn(SECRET.encode(), answer)
        self.assertGreater(len(answers), 16)


if __name__ == "__main__":
    unittest.main()
