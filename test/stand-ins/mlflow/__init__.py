"""A stand-in for mlflow: the fluent functions of version 3, for a tracking server or a folder."""

from .tracking.fluent import end_run, log_metric, log_metrics, log_param, set_tracking_uri, start_run

__all__ = ["end_run", "log_metric", "log_metrics", "log_param", "set_tracking_uri", "start_run"]
