"""A program whose arguments are those of its classes."""

import argparse
import inspect

from .trainer import Trainer


class LightningCLI:
    def __init__(self, model_class, datamodule_class, run=True):
        parser = argparse.ArgumentParser()
        parser.add_argument("subcommand", nargs="?")
        taken = {"model": model_class, "data": datamodule_class, "trainer": Trainer}
        for name, one in taken.items():
            for each in inspect.signature(one).parameters.values():
                plain = type(each.default) in (int, float, str)
                kind = type(each.default) if plain else int
                parser.add_argument(f"--{name}.{each.name}", type=kind)
        given = {
            name: value for name, value in vars(parser.parse_args()).items() if value
        }
        made = {
            name: one(
                **{
                    key[len(name) + 1 :]: value
                    for key, value in given.items()
                    if key.startswith(f"{name}.")
                }
            )
            for name, one in taken.items()
        }
        self.model, self.datamodule, self.trainer = (
            made["model"],
            made["data"],
            made["trainer"],
        )
        if run:
            self._run_subcommand(given["subcommand"])

    def _run_subcommand(self, subcommand):
        hook = getattr(self, f"before_{subcommand}", None)
        if hook is not None:
            hook()
        getattr(self.trainer, subcommand)(self.model, datamodule=self.datamodule)
