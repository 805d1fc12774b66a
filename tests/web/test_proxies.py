"""The settings for nginx, Caddy and systemd in docs/serve.md, tried with these programs in front of a class."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from grader.web.gate import Proxy
from grader.web.people import Role
from tests.web.test_class_browser import Server
from tests.web.test_site import Classroom, made  # noqa: F401, a fixture

pytestmark = pytest.mark.prove
TEXT = (Path(__file__).parents[2] / "docs" / "serve.md").read_text("utf-8")
NAME = "quiz.example.edu"


def block(language: str, number: int = 0) -> str:
    """An example of the page."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)[number]


def port() -> int:
    """A free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


@contextmanager
def running(command: list[str], at: int) -> Iterator[None]:
    """A program that listens at a port after a while."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            while True:
                assert process.poll() is None, process.stderr and process.stderr.read()
                try:
                    socket.create_connection(("127.0.0.1", at)).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def nginx(folder: Path, text: str, upstream: int) -> Iterator[int]:
    """Nginx with an example as its only site; yields the port."""
    if not shutil.which("nginx"):
        pytest.skip("needs nginx")
    at, key, pem = port(), folder / "key", folder / "pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(pem)], check=True, capture_output=True)
    changes = {
        "listen 443": f"listen 127.0.0.1:{at}",
        "/etc/ssl/quiz.pem": str(pem),
        "/etc/ssl/quiz.key": str(key),
        "127.0.0.1:8000": f"127.0.0.1:{upstream}",
        "/var/log/nginx": str(folder),
        "/etc/nginx/quiz.users": str(folder / "users"),
    }
    for old, new in changes.items():
        text = text.replace(old, new)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    settings = folder / "nginx.conf"
    settings.write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr;\nevents {{}}\n"
        f"http {{\n{places}access_log off;\n{text}\n}}\n"
    )
    command = ["nginx", "-c", str(settings), "-p", str(folder), "-e", "stderr"]
    tried = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tried.returncode == 0 and "warn" not in tried.stderr, tried.stderr
    with running(command, at):
        yield at


@contextmanager
def caddy(folder: Path, text: str, upstream: int) -> Iterator[int]:
    """Caddy with an example as its only site, and a certificate that it signs itself; yields the port."""
    if not shutil.which("caddy"):
        pytest.skip("needs Caddy")
    at = port()
    text = text.replace(f"{NAME} {{", f"https://{NAME}:{at} {{\n    tls internal", 1)
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    settings = folder / "Caddyfile"
    options = ("admin off", "skip_install_trust", "auto_https disable_redirects", f"storage file_system {folder}")
    first = "{\n" + "\n".join(options) + "\n}\n"
    settings.write_text(first + text)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(settings)]
    with running(command, at):
        yield at


def ask(at: int, path: str, headers: dict[str, str] | None = None, form: dict[str, str] | None = None) -> Any:
    """The answer of a proxy, as a browser asks that was told its name."""
    method, body, sent = "GET", None, {"Host": NAME}
    if form is not None:
        method, body = "POST", urlencode(form)
        sent |= {"Origin": f"https://{NAME}", "Content-Type": "application/x-www-form-urlencoded"}
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", at, context=context, timeout=60)
    connection.sock = context.wrap_socket(socket.create_connection(("127.0.0.1", at)), server_hostname=NAME)
    connection.request(method, path, body, sent | (headers or {}))
    answer = connection.getresponse()
    answer.text = answer.read().decode()  # type: ignore[attr-defined]
    connection.close()
    return answer


@contextmanager
def served(classroom: Classroom, proxy: Proxy | None = None) -> Iterator[Server]:
    """The class under the name that the proxy has."""
    server = Server(classroom, proxy, address=f"https://{NAME}")
    try:
        yield server
    finally:
        server.close()


@pytest.mark.parametrize("front", ["nginx", "caddy"])
def test_links_behind_a_proxy(made: Classroom, tmp_path: Path, front: str) -> None:  # noqa: F811
    """A link signs in with a secure cookie; a header that claims to be somebody does not; links are not logged."""
    which, language = (nginx, "nginx") if front == "nginx" else (caddy, "caddyfile")
    with served(made) as server, which(tmp_path, block(language), server.port) as at:
        link = server.link("ada", Role.LEARNER).removeprefix(server.url)
        assert "Sign in as Ada?" in ask(at, link).text
        answer = ask(at, "/sign-in", form={"link": link.partition("link=")[2]})
        cookie = answer.headers["Set-Cookie"]
        assert answer.status == 303 and answer.headers["Location"] == "/" and "Secure" in cookie
        assert ask(at, "/submit", {"Cookie": cookie.partition(";")[0]}).status == 200
        for name in ("X-Remote-User", "x-remote-user", "X_Remote_User"):
            assert ask(at, "/submit", {name: "ada"}).status == 403
        assert ask(at, "/", {"Host": "other.example.edu"}).status in (200, 421)
    for log in tmp_path.glob("*.log"):
        assert "sign-in" not in log.read_text() and "/submit" in log.read_text()


@pytest.mark.parametrize("front", ["nginx", "caddy"])
def test_a_proxy_that_signs_people_in(made: Classroom, tmp_path: Path, front: str) -> None:  # noqa: F811
    """Who signed in at the proxy is that person; a header of the browser's own changes nothing."""
    which, language = (nginx, "nginx") if front == "nginx" else (caddy, "caddyfile")
    hashed = subprocess.run(["openssl", "passwd", "-apr1", "pw"], capture_output=True, text=True, check=True).stdout
    (tmp_path / "users").write_text(f"ada:{hashed}")
    text = block(language, 1)
    if front == "caddy" and shutil.which("caddy"):
        command = ["caddy", "hash-password", "--plaintext", "pw"]
        hashed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        text = re.sub(r"ada \S+", f"ada {hashed}", text)
    basic = {"Authorization": "Basic YWRhOnB3"}
    proxy = Proxy("X-Remote-User", "127.0.0.1")
    with served(made, proxy) as server, which(tmp_path, text, server.port) as at:
        assert ask(at, "/submit").status == 401
        assert ask(at, "/submit", {"X-Remote-User": "grace"}).status == 401
        assert ask(at, "/submit", basic).status == 200
        for name in ("X-Remote-User", "x-remote-user", "X_Remote_User"):
            page = ask(at, "/submit", basic | {name: "grace"})
            assert page.status == 200 and "Ada" in page.text and "Grace" not in page.text
            assert ask(at, "/class", basic | {name: "grace"}).status == 403


def test_the_unit_of_systemd(tmp_path: Path) -> None:
    """It has no setting that systemd does not know."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd")
    unit = tmp_path / "attncheck.service"
    unit.write_text(block("ini").replace("/opt/attncheck/bin/attncheck", "/bin/true"))
    told = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert told.returncode == 0 and str(unit.name) not in told.stderr, told.stderr
