"""The kubelet, one file a part: beats, runtime, relist, worker, status, start, stop, probes, execs, removal."""
