"""The boxes that the console is tested with: daemons in temporary directories, replctl, and the console itself.
All that is started here is ended here."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what, action, seconds=120):
    """The first true value of the action; it is tried again until then."""
    end = time.monotonic() + seconds
    while True:
        value = action()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)


class Box:
    def __init__(self, programs, folder, name):
        self.programs, self.name = programs, name
        self.state = folder / name
        self.socket = str(folder / f"{name}.sock")
        self.log = open(folder / f"{name}.log", "ab")
        self.port = free_port()
        self.peers = []
        self.process = None

    def start(self, cut_off=False):
        """Cut off: in a network namespace of its own."""
        command = [f"{self.programs}/repld", "--state", str(self.state), "--socket", self.socket, "--no-discovery",
                   "--name", self.name, "--listen", f"127.0.0.1:{self.port}"]
        for peer in self.peers:
            command += ["--peer", f"127.0.0.1:{peer}"]
        if cut_off:
            command = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"] + command
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        until(f"{self.name} serves", lambda: self.ctl("status", check=False).returncode == 0)

    def stop(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def ctl(self, *arguments, check=True, input=None):
        result = subprocess.run([f"{self.programs}/replctl", *arguments, "--socket", self.socket], input=input,
                                capture_output=True, text=True)
        if check and result.returncode != 0:
            raise AssertionError(f"{self.name}: replctl {' '.join(arguments)}: {result.stderr}")
        return result

    def value(self, space, key, path=None):
        """The document, or what stands at a path; None where there is none."""
        result = self.ctl("get", space, key, "--json", check=False)
        if result.returncode != 0:
            return None
        value = json.loads(result.stdout)["value"]
        for step in path.split(".") if path else []:
            value = value[int(step)] if isinstance(value, list) else value.get(step)
            if value is None:
                return None
        return value


class ConsoleProcess:
    """`replctl console`, and requests to it as no browser sends them."""

    def __init__(self, box):
        self.process = subprocess.Popen(
            [f"{box.programs}/replctl", "console", "--no-browser", "--socket", box.socket], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        self.root = self.address.split("?")[0]
        self.port = int(self.root.split(":")[2].split("/")[0])
        self.path = "/" + self.root.split("/", 3)[3]
        self.token = self.address.split("token=")[1]

    def ask(self, path, method="GET", body=None, **headers):
        """Status, headers and body; a header that is None is not sent."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = {"Host": f"127.0.0.1:{self.port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in fields.items():
            if value is not None:
                connection.putheader(name, value)
        data = body.encode() if body is not None else None
        if data is not None:
            connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data)
        answer = connection.getresponse()
        result = (answer.status, dict(answer.getheaders()), answer.read().decode())
        connection.close()
        return result

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class World:
    def __init__(self, programs):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rc-"))
        self.attic = Box(programs, self.folder, "attic")
        self.laptop = Box(programs, self.folder, "laptop")
        self.laptop.peers = [self.attic.port]
        self.consoles = []
        self.attic.start()
        self.laptop.start()

    def console(self, box):
        self.consoles.append(ConsoleProcess(box))
        return self.consoles[-1]

    def end(self):
        for each in self.consoles:
            if each.process.poll() is None:
                each.stop()
        for box in (self.attic, self.laptop):
            box.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
