"""What a test that runs many programs prints: a line each, the bad ones again at the end, where they are seen whatever was cut off."""


class Report:
    def __init__(self):
        self.passed, self.failed, self.bad = 0, 0, []

    def line(self, name, why=None, counts=None):
        """One program. `why` not None: it failed. `counts`: (passed, failed) of its checks, where it has several."""
        text = f"{'ok    ' if why is None else 'not ok'} {name}{'' if why is None else ': ' + why}"
        print(text, flush=True)
        passed, failed = counts or (why is None, why is not None)
        self.passed, self.failed = self.passed + passed, self.failed + failed
        if why is not None:
            self.bad.append(text)

    def close(self, more=""):
        """The closing line; returns the status to exit with."""
        for text in self.bad:
            print(text)
        print(f"{self.passed} passed, {self.failed} failed{more}")
        return int(self.failed > 0)
