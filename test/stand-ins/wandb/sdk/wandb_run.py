import json
import os
import urllib.request


class Run:
    def __init__(self, project, config):
        self.project, self.config, self.summary = project, dict(config or {}), {}
        self._send("init", {"project": project})

    def log(self, data, step=None, commit=None):
        self.summary.update(data)
        self._send("log", {"data": {key: float(value) for key, value in data.items()}, "step": step})

    def finish(self):
        self._send("finish", {})

    def _send(self, what, body):
        url = f"{os.environ['WANDB_BASE_URL']}/{what}"
        urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())).read()


class NoopRun(Run):
    """As wandb makes it in mode `disabled`, where older versions put a function in the place of `log`."""

    def __init__(self, project, config):
        self.project, self.config, self.summary = project, dict(config or {}), {}
        self.log = lambda data, *given, **named: self.summary.update(data)

    def finish(self):
        pass
