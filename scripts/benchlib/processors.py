"""Measurements beside each other, each with a processor of its own: a hunt stays on the first one that it may use."""
import concurrent.futures, os


def each_on_a_processor(work, jobs):
    """(job, what `work` gave for it), in the order of `jobs`."""
    free = sorted(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(len(free),
                                               initializer=lambda: os.sched_setaffinity(0, {free.pop()})) as pool:
        yield from zip(jobs, pool.map(work, jobs))
