"""Page views as JSON, for the demo and the benchmarks."""
import random

REGIONS = ["seoul", "busan", "incheon", "daegu", "daejeon", "gwangju", "suwon", "ulsan", "jeju", "sejong"]
WEIGHTS = [30, 14, 12, 10, 8, 7, 7, 5, 4, 3]
USERS, PAGES = 100_000, 10_000


class PageViews:
    """The same records in every run, and what counting them must lead to."""

    def __init__(self):
        self.random = random.Random(42)
        self.written = 0
        self.views = [0] * len(REGIONS)
        self.seen = [bytearray(USERS) for _ in REGIONS]

    def lines(self, count):
        """The next records, in chunks of text."""
        while count > 0:
            size = min(count, 10_000)
            users = self.random.choices(range(USERS), k=size)
            pages = self.random.choices(range(PAGES), k=size)
            regions = self.random.choices(range(len(REGIONS)), WEIGHTS, k=size)
            rows = []
            for n, (user, page, region) in enumerate(zip(users, pages, regions), start=self.written):
                self.views[region] += 1
                self.seen[region][user] = 1
                rows.append(f'{{"user_id":"user_{user}","page_id":"page_{page}","viewtime":"2024-01-01 '
                            f'{n // 3600000 % 24:02}:{n // 60000 % 60:02}:{n // 1000 % 60:02}.{n % 1000:03}",'
                            f'"user_region":"{REGIONS[region]}"}}\n')
            self.written += size
            count -= size
            yield "".join(rows).encode()

    def truth(self):
        """{region: (views, distinct users)} of what was generated so far."""
        return {name: (self.views[n], sum(self.seen[n])) for n, name in enumerate(REGIONS)}
