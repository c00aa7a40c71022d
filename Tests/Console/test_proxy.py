# SPDX-License-Identifier: Apache-2.0
"""The console behind nginx, as the example of the manual sets it up: encryption and passwords are the proxy's."""

import base64
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest

from browsing import Browser
from running import Bus, await_true, program

MANUAL = pathlib.Path(__file__).resolve().parents[2] / "deploy/manual/cascade-console.1.md"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin")
# What a configuration needs around the example.
AROUND = """daemon off;
{user}
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/certificate.pem;
        ssl_certificate_key {folder}/key.pem;
{example}
    }}
}}
"""


class ProxyTests(unittest.TestCase):
    """The example is read from the manual, with the paths and the name of the test."""

    @classmethod
    def setUpClass(cls):
        assert NGINX, "nginx is missing: 'deploy/install-dependencies --console' installs it"
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.folder = pathlib.Path(directory.name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            cls.port = free.getsockname()[1]
        cls.host = f"bus.example:{cls.port}"
        # Debian's nginx runs as www-data; a user other than root cannot start it as anybody else.
        cls.is_root = os.geteuid() == 0
        cls.proxy_user = "www-data" if cls.is_root else str(os.geteuid())
        cls.bus = Bus()
        cls.addClassCleanup(cls.bus.close)
        cls.bus.attach("/shop", "--handle", "Order")
        cls.start_console()
        cls.start_nginx()

    @classmethod
    def start_console(cls):
        cls.socket, cls.log = cls.folder / "console.sock", cls.folder / "console.log"
        options = re.search(r"with the options `(.*)`", MANUAL.read_text())[1].split()
        values = {"www-data": cls.proxy_user, "bus.example": cls.host}
        options = [f"{name}={values.get(value, value)}" for name, value in (option.split("=") for option in options)]
        with open(cls.log, "w") as log:
            console = subprocess.Popen(
                [program("cascade-console"), "--bus", cls.bus.endpoint, "--listen", f"unix:{cls.socket}",
                 "--allow-actions=trigger", *options],
                stdout=subprocess.PIPE, stderr=log, text=True)
        cls.addClassCleanup(console.stdout.close)
        cls.addClassCleanup(console.wait)
        cls.addClassCleanup(console.terminate)
        cls.link = console.stdout.readline().strip()
        assert cls.link.startswith(f"https://{cls.host}/bus/#key="), cls.link
        if cls.is_root:
            # The unit of the socket and its group do this.
            account = pwd.getpwnam(cls.proxy_user)
            os.chmod(cls.folder, 0o755)
            os.chown(cls.socket, 0, account.pw_gid)
            os.chmod(cls.socket, 0o660)

    @classmethod
    def start_nginx(cls):
        example = re.search(r"^    location /bus/ \{$.*?^    \}$", MANUAL.read_text(), re.M | re.S)[0]
        for path, own in [("/run/cascade-console/console.sock", cls.socket), ("/etc/nginx/bus.users", cls.folder / "users")]:
            assert path in example, path
            example = example.replace(path, str(own))
        (cls.folder / "users").write_text("anna:{PLAIN}secret\n")
        (cls.folder / "nginx.conf").write_text(AROUND.format(
            user=f"user {cls.proxy_user};" if cls.is_root else "", folder=cls.folder, port=cls.port, example=example))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=bus.example", "-days", "2",
             "-keyout", cls.folder / "key.pem", "-out", cls.folder / "certificate.pem"],
            check=True, capture_output=True)
        errors = open(cls.folder / "nginx.log", "w")
        cls.addClassCleanup(errors.close)
        nginx = subprocess.Popen(
            [NGINX, "-p", cls.folder, "-c", cls.folder / "nginx.conf", "-e", "stderr"], stderr=errors)
        cls.addClassCleanup(nginx.wait)
        cls.addClassCleanup(nginx.terminate)

        def is_served():
            assert nginx.poll() is None, (cls.folder / "nginx.log").read_text()
            with socket.socket() as peer:
                return peer.connect_ex(("127.0.0.1", cls.port)) == 0

        await_true(is_served, "the start of nginx")

    def ask(self, method, path, body=None, **headers):
        """Sends a request by the proxy, with Anna's password unless `Authorization` is given."""
        sent = {"Host": self.host, "Origin": f"https://{self.host}", "Content-Type": "application/json",
                "Authorization": "Basic " + base64.b64encode(b"anna:secret").decode(), **headers}
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=20, context=ssl._create_unverified_context())
        connection.request(method, path, json.dumps(body) if body is not None else None, sent)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, content

    def test_the_page_is_live_behind_a_proxy_that_asks_for_a_password(self):
        browser = Browser("--host-resolver-rules=MAP bus.example 127.0.0.1", "--ignore-certificate-errors")
        self.addCleanup(browser.close)
        # The browser asks its user for the password at the first address.
        browser.driver.get(f"https://anna:secret@{self.host}/bus/icon.svg")
        browser.open(self.link)
        browser.await_row("/shop", "live")
        token = browser.run("return localStorage.getItem('cascade-console-token')")

        # Without the password, or without the token, nothing is told.
        for headers in [{"Authorization": "", "X-Cascade-Token": token}, {"Authorization": f"Bearer {token}"},
                        {"Authorization": "Basic eDp5", "X-Cascade-Token": token}, {}, {"X-Cascade-Token": "0" * 32}]:
            status, content = self.ask("GET", "/bus/v1/document/tree", **headers)
            self.assertEqual(status, 401, headers)
            self.assertNotIn(b"shop", content)
        for headers in [{"Host": "evil.example"}, {"Origin": "https://evil.example"}]:
            status, content = self.ask("GET", "/bus/v1/document/tree", **{"X-Cascade-Token": token, **headers})
            self.assertIn(status, (403, 421), headers)
            self.assertNotIn(b"shop", content)

        # Who did it is who has the password, whatever else is claimed.
        status, content = self.ask(
            "POST", "/bus/v1/action/trigger", {"request": "1", "name": "Order", "from": "/shop"},
            **{"X-Cascade-Token": token, "X-Remote-User": "mallory"})
        self.assertEqual((status, json.loads(content)["outcome"]), (200, "handled"))
        log = self.log.read_text()
        self.assertIn(" for anna asked for trigger Order at /shop: handled", log)
        self.assertNotIn("mallory", log)
        # Links are for the console's own user.
        self.assertEqual(self.ask("POST", "/bus/v1/link", {})[0], 403 if self.is_root else 200)
        self.assertEqual([text for text in browser.complaints() if "icon" not in text], [])


if __name__ == "__main__":
    unittest.main()
