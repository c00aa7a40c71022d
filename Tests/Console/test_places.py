# SPDX-License-Identifier: Apache-2.0
"""Where the console listens, who reaches it there, and its command line."""

import http.client
import json
import os
import socket
import stat
import subprocess
import tempfile
import time
import unittest

from browsing import look_at
from running import BINARIES, Bus, Console, PlacedTests, UnixConnection, await_true, program


def link_of(path):
    """Runs 'cascade-console link', and returns its status and outputs."""
    result = subprocess.run(
        [program("cascade-console"), "link", "--socket", path], capture_output=True, text=True,
        timeout=20)
    return result.returncode, result.stdout.strip(), result.stderr


class PlaceTests(PlacedTests):
    def local(self, method, path, body=None, headers=None):
        connection = UnixConnection(self.socket)
        try:
            return self.console.ask(method, path, body, headers, connection=connection)
        finally:
            connection.close()

    # MARK: - Unix sockets and links

    def test_the_socket_is_the_users_own(self):
        mode = os.stat(self.socket).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        self.assertEqual(self.local("GET", "/")[0], 200)

    def test_a_fresh_link_opens_a_session(self):
        status, link, _ = link_of(self.socket)
        self.assertEqual(status, 0)
        self.assertEqual(link.split("#")[0], f"http://127.0.0.1:{self.console.port}/")
        key = link.split("#key=")[1]
        self.assertEqual(self.console.ask("POST", "/v1/session", {"key": key})[0], 200)
        self.assertEqual(self.console.ask("POST", "/v1/session", {"key": key})[0], 401)

    def test_there_is_no_link_by_the_loopback_interface(self):
        status, _, content = self.console.ask("POST", "/v1/link", {})
        self.assertEqual((status, json.loads(content)["error"]["name"]), (403, "noLink"))

    def test_without_a_console_the_command_ends_with_69(self):
        status, link, errors = link_of(os.path.join(self.directory.name, "none.sock"))
        self.assertEqual((status, link), (69, ""))
        self.assertIn("no console serves", errors)

    def test_another_user_is_not_served(self):
        os.chmod(self.socket, 0o666)
        os.chmod(self.directory.name, 0o755)
        script = (
            "import socket,sys; s=socket.socket(socket.AF_UNIX); s.settimeout(8);"
            f"s.connect({self.socket!r});"
            "s.sendall(b'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');"
            "sys.exit(len(s.recv(100)))")
        try:
            if os.geteuid() != 0:
                self.skipTest("only root can be another user")
            drop = lambda: os.setuid(65_534)
            result = subprocess.run(
                ["/usr/bin/python3", "-c", script], preexec_fn=drop, capture_output=True, text=True)
            self.assertTrue(result.returncode == 0 or "ConnectionResetError" in result.stderr
                            or "BrokenPipeError" in result.stderr, result)
        finally:
            os.chmod(self.socket, 0o600)

    # MARK: - Operation

    def test_health_and_metrics_need_a_token_or_the_socket(self):
        self.console.frame(urgent=True)
        for path in ["/healthz", "/metrics"]:
            self.assertEqual(self.console.ask("GET", path, headers={"Authorization": ""})[0], 401)
            self.assertEqual(self.console.ask("GET", path)[0], 200)
            self.assertEqual(self.local("GET", path, headers={"Authorization": ""})[0], 200)
        await_true(lambda: self.local("GET", "/healthz")[2] == b"ok live\n", "a live bus")
        text = self.local("GET", "/metrics")[2].decode()
        for line in text.splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) )?cascade_console_\w+(\{[^}]*\})? ?.*$")
        names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
        self.assertEqual(
            {name.removeprefix("cascade_console_") for name in names},
            {"pages", "frames_total", "frame_bytes_total", "frame_seconds", "monitor_events_total",
             "monitor_events_left_out_total", "actions_total", "cpu_seconds_total",
             "resident_bytes_max"})
        self.assertIn('frame_seconds_bucket{le="+Inf"}', text)

    def test_a_taken_address_is_named(self):
        for address in [f"127.0.0.1:{self.console.port}", f"unix:{self.socket}"]:
            result = subprocess.run(
                [program("cascade-console"), "--bus", self.bus.endpoint, "--listen", address],
                capture_output=True, text=True, timeout=20)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(f"cannot listen at {address}: Address already in use", result.stderr)

    def test_wrong_usage_ends_with_64(self):
        for arguments in [
            ["--listen", "0.0.0.0:80"], ["--listen", "localhost:1"], ["--listen", "unix:"],
            ["--allow-actions=fly"], ["--allow-actions="], ["--allow-actions", ""], ["--allow-actions=retry,"], ["--base", "console"],
            ["--base", "/console/"], ["--base", "/a b"], ["--behind-proxy", "nobody-of-this-name"],
            ["--behind-proxy", "root", "--listen", "127.0.0.1:0"], ["--log-level", "loud"],
            ["--bus", "a b=ipc:///x"], ["--bus", "a=ipc:///x", "--bus", "a=ipc:///y"],
            ["--bus=ipc:///x"] * 2,
        ]:
            result = subprocess.run(
                [program("cascade-console"), *arguments], capture_output=True, text=True, timeout=20)
            self.assertEqual(result.returncode, 64, (arguments, result.stderr))

    def test_a_browser_is_opened_by_a_file_that_others_cannot_read(self):
        with tempfile.TemporaryDirectory() as directory:
            opener = os.path.join(directory, "xdg-open")
            with open(opener, "w") as file:
                file.write('#!/bin/sh\nprintf "%s\\n" "$1" >"$0.said.new"; mv "$0.said.new" "$0.said"\n')
            os.chmod(opener, 0o755)
            environment = dict(
                os.environ, XDG_RUNTIME_DIR=directory,
                PATH=":".join([directory, BINARIES, os.environ["PATH"]]))
            process = subprocess.Popen(
                [program("cascadectl"), "console", "--bus", self.bus.endpoint, "--",
                 "--allow-actions=retry"],
                env=environment, stdout=subprocess.PIPE, text=True)
            try:
                link = process.stdout.readline().strip()
                await_true(lambda: os.path.exists(opener + ".said"), "the start of a browser")
                with open(opener + ".said") as said:
                    path = said.read().strip()
                self.assertNotIn("key", path)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
                with open(path) as file:
                    self.assertIn(link, file.read())
            finally:
                process.kill()
                process.wait()
                process.stdout.close()

    def test_without_the_package_the_command_says_so(self):
        result = subprocess.run(
            [program("cascadectl"), "console"], capture_output=True, text=True, timeout=20,
            env=dict(os.environ, PATH="/nonexistent"))
        self.assertEqual(result.returncode, 127)
        self.assertIn("install the package cascade-console", result.stderr)

    def test_without_a_bus_it_waits_and_says_so(self):
        bus = Bus()
        console = Console(bus, "--allow-actions")
        try:
            console.open_session()
            await_true(lambda: console.frame(urgent=True)["state"] == "live", "the bus")
            bus.kill()
            frame = await_true(
                lambda: (f := console.frame(urgent=True))["state"] == "away" and f, "the loss")
            self.assertTrue(frame["reason"])
            begun = time.monotonic()
            status, _, content = console.ask("POST", "/v1/session", {})
            session = json.loads(content)
            self.assertEqual((status, session["rights"]), (200, []))
            self.assertEqual({action["allowed"] for action in session["actions"]}, {False})
            for request in [
                ("GET", "/v1/document/tree"),
                ("POST", "/v1/action/trigger", {"request": "1", "name": "Order"}),
            ]:
                status, _, content = console.ask(*request)
                self.assertEqual((status, json.loads(content)["error"]["name"]), (503, "noBus"))
            self.assertLess(time.monotonic() - begun, 8)
            bus.start()
            await_true(lambda: console.frame(urgent=True)["state"] == "live", "the bus again")
            _, _, content = console.ask("POST", "/v1/session", {})
            self.assertIn("trigger", json.loads(content)["rights"])
        finally:
            console.close()
            bus.close()

    def test_a_file_of_buses_that_cannot_be_used_ends_with_78(self):
        file, key = (os.path.join(self.directory.name, name) for name in ("buses.json", "no.key"))
        with open(file, "w") as output:
            json.dump({"buses": [
                {"name": "afar", "bus": "tcp://127.0.0.1:9", "key": key, "trust": "x" * 40}]}, output)
        result = subprocess.run(
            [program("cascade-console"), "--buses", file], capture_output=True, text=True, timeout=30)
        self.assertEqual((result.returncode, result.stdout), (78, ""))
        self.assertIn(f"{file}: the keys of 'afar' cannot be used: ", result.stderr)
        self.assertIn(key, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        result = subprocess.run(
            [program("cascade-console"), "--buses", "/nonexistent/file"], capture_output=True, text=True, timeout=30)
        self.assertEqual(
            (result.returncode, result.stderr),
            (78, "cascade-console: cannot read '/nonexistent/file': No such file or directory\n"))

    # MARK: - A proxy

    def test_a_proxy_names_the_person_for_the_log_alone(self):
        path = os.path.join(self.directory.name, "proxy.sock")
        log = os.path.join(self.directory.name, "proxy.log")
        with open(log, "w") as errors:
            process = subprocess.Popen(
                [program("cascade-console"), "--bus", self.bus.endpoint, "--listen", f"unix:{path}",
                 "--behind-proxy", str(os.geteuid()), "--host", "bus.example", "--base", "/console",
                 "--allow-actions=trigger"],
                stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            link = process.stdout.readline().strip()
            self.assertTrue(link.startswith("https://bus.example/console/#key="), link)

            def ask(path_, body, **headers):
                connection = UnixConnection(path)
                connection.request(
                    "POST", path_, json.dumps(body),
                    {"Host": "bus.example", "Content-Type": "application/json",
                     "Origin": "https://bus.example", **headers})
                response = connection.getresponse()
                content = response.read()
                connection.close()
                return response.status, json.loads(content)

            self.assertEqual(ask("/v1/session", {})[0], 404)
            # The link is given at the socket, whatever the path is behind the proxy.
            status, fresh, _ = link_of(path)
            self.assertEqual((status, fresh.split("#")[0]), (0, link.split("#")[0]))
            status, session = ask("/console/v1/session", {"key": link.split("#key=")[1]})
            self.assertEqual(status, 200)
            status, outcome = ask(
                "/console/v1/action/trigger", {"request": "1", "name": "Order", "from": "/shop"},
                Authorization=f"Bearer {session['token']}", **{"X-Remote-User": "anna"})
            self.assertEqual((status, outcome["outcome"]), (200, "handled"))
            with open(log) as file:
                self.assertIn(" for anna asked for trigger Order at /shop: handled", file.read())
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    # MARK: - The service manager

    def test_an_inherited_socket_is_served_and_an_idle_console_ends(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1]
            local = socket.socket(socket.AF_UNIX)
            path = os.path.join(self.directory.name, "inherited.sock")
            local.bind(path)
            local.listen()
            # The descriptors of a service begin with 3.
            script = (
                "import os,sys; a,b=(os.dup(int(d)) for d in sys.argv[1:3]); a,b=(os.dup(d) for d in (a,b));"
                "os.dup2(a,3); os.dup2(b,4); os.environ.update("
                "LISTEN_PID=str(os.getpid()), LISTEN_FDS='2'); os.execv(sys.argv[3], sys.argv[3:])")
            descriptors = [listener.fileno(), local.fileno()]
            process = subprocess.Popen(
                ["/usr/bin/python3", "-c", script, *map(str, descriptors),
                 program("cascade-console"), "--bus", self.bus.endpoint, "--idle-seconds", "2"],
                pass_fds=descriptors, stdout=subprocess.PIPE, text=True)
            try:
                begun = time.monotonic()
                # The link is not in the journal.
                status, link, _ = link_of(path)
                self.assertEqual(status, 0)
                self.assertTrue(link.startswith(f"http://127.0.0.1:{port}/#key="), link)
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
                connection.request("GET", "/")
                self.assertEqual(connection.getresponse().status, 200)
                connection.close()
                self.assertEqual((process.stdout.read(), process.wait(20)), ("", 0))
                self.assertGreater(time.monotonic() - begun, 1.5)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()
                local.close()


class SeveralBusesTests(unittest.TestCase):
    def test_each_page_sees_its_bus_and_hears_of_the_others(self):
        one, two = Bus(), Bus()
        two.attach("/depot", "--handle", "Refill")
        console = Console(
            one, "--bus", f"depot={two.endpoint}", name="shop")
        try:
            session = console.open_session()
            self.assertEqual(session["sites"], ["shop", "depot"])
            names = lambda frame: [row[2] for row in frame.get("nodes", [])]
            frame = await_true(
                lambda: (f := console.frame(bus="depot", urgent=True)) and names(f) and f,
                "the tree of a bus")
            self.assertEqual(names(frame), ["/", "depot"])

            def rows():
                rows = console.frame(urgent=True)["buses"]
                return rows if all("nodes" in row for row in rows) else None

            shop, depot = await_true(rows, "the numbers of both buses")
            self.assertEqual((shop["name"], shop["state"], shop["trouble"]), ("shop", "live", 0))
            self.assertEqual((depot["name"], depot["nodes"], depot["bus"]), ("depot", 2, two.endpoint))
            two.ctl("trigger", "Nobody")
            await_true(
                lambda: console.frame(urgent=True)["buses"][1]["trouble"] == 1, "trouble elsewhere")
            status, _, content = console.ask("GET", "/v1/document/tree?bus=depot")
            self.assertEqual(json.loads(content), two.ctl("tree"))
            self.assertEqual(console.ask("POST", "/v1/frame", {"page": "x", "bus": "no"})[0], 404)
            status, _, content = console.ask("GET", "/v1/find?sought=bus:d*%20asked:refill")
            self.assertEqual(
                [row[:3] for row in json.loads(content)["found"]], [["depot", "/depot", "live"]])
            self.assertEqual(
                console.ask("GET", f"/v1/find?sought={'x' * 257}")[0], 400)
            two.kill()
            row = await_true(
                lambda: (r := console.frame(urgent=True)["buses"][1])["state"] == "away" and r,
                "the loss of the other bus")
            self.assertLess(abs(row["since"] / 1_000 - time.time()), 20)
            self.assertEqual(console.frame(urgent=True)["state"], "live")
        finally:
            console.close()
            one.close()
            two.close()

    def test_a_file_names_buses_and_find_looks_in_all_of_them(self):
        one, two = Bus(), Bus()
        self.addCleanup(one.close)
        self.addCleanup(two.close)
        one.attach("/shop", "--handle", "Order")
        two.attach("/depot", "--handle", "Refill")
        two.attach("/depot/gate")
        file = os.path.join(one.directory, "buses.json")
        with open(file, "w") as content:
            json.dump({"buses": [{"name": "depot", "bus": two.endpoint}]}, content)
        look_at(self, one, "--buses", file, name="shop")
        browser = self.browser
        browser.open(self.console.link)
        browser.await_row("/shop", "live")
        browser.find("bus:* gate")
        row = await_true(
            lambda: browser.run("return document.querySelector('#found .opt')?.textContent"),
            "what is found")
        self.assertIn("/depot/gate", row)
        browser.run("document.querySelector('#found .opt').click()")
        browser.await_row("/depot/gate", "live")
        await_true(lambda: browser.row("/depot/gate")["selected"] == "true", "the selection")
        self.assertIn("depot", browser.text("#bus"))
        self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    unittest.main()
