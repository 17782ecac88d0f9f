import json
import os
import queue
import threading
import time


class SummaryWriter:
    def __init__(self, logdir=None, comment=""):
        self.logdir = logdir or f"runs/exp{comment}"
        os.makedirs(self.logdir, exist_ok=True)
        self._path = os.path.join(self.logdir, f"events.out.tfevents.{time.time():.0f}.{os.getpid()}")
        self._queue = queue.Queue()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None):
        self._add(tag, float(scalar_value), global_step)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        for tag, value in tag_scalar_dict.items():
            self.add_scalar(f"{main_tag}/{tag}", value, global_step)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None):
        self._add(tag, [float(values.min()), float(values.max())], global_step)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        self._add(tag, text_string, global_step)

    def flush(self):
        self._queue.join()

    def close(self):
        self.flush()

    def _add(self, tag, value, step):
        self._queue.put({"tag": tag, "value": value, "step": step, "wall_time": time.time()})

    def _write(self):
        while True:
            event = self._queue.get()
            with open(self._path, "a") as stream:
                stream.write(json.dumps(event) + "\n")
            self._queue.task_done()
