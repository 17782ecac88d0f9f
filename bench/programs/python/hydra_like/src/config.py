import importlib
import json
import os


class Config(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)


def wrap(value):
    return Config({k: wrap(v) for k, v in value.items()}) if isinstance(value, dict) else value


def read(folder, name):
    with open(os.path.join(folder, name + ".json")) as f:
        return wrap(json.load(f))


def load_config(folder, overrides):
    cfg = read(folder, "config")
    given = dict(one.split("=", 1) for one in overrides)
    for group, default in cfg.pop("defaults").items():
        cfg[group] = read(folder, f"{group}.{given.pop(group, default)}")
    for path, value in given.items():
        *parents, last = path.split(".")
        node = cfg
        for parent in parents:
            node = node[parent]
        node[last] = json.loads(value)
    return cfg


def to_text(cfg):
    return json.dumps(cfg, indent=1)


def instantiate(cfg, *args):
    options = dict(cfg)
    module, _, name = options.pop("_target_").rpartition(".")
    return getattr(importlib.import_module(module), name)(*args, **options)
