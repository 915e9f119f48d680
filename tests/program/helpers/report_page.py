"""Reads the page that `sinew report` writes without any of its own script."""

import base64
import html.parser
import json
import struct

NO_VALUE, MOST_CODE = 65535, 65534


class Elements(html.parser.HTMLParser):
    """Scripts by their id; and how often there is each element."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.counts, self.links, self.open = {}, {}, [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.links += [given[key] for key in ("src", "href") if key in given]
        self.open = given.get("id", "") if tag == "script" else None

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open is not None:
            self.scripts[self.open] = self.scripts.get(self.open, "") + data


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.elements = Elements(file.read())
        self.about = json.loads(self.elements.scripts["about"])
        self.texts = self.about["texts"]
        self.clips = {clip["id"]: clip for clip in self.about["clips"]}

    def numbers(self, name, form):
        data = base64.b64decode(self.elements.scripts[name], validate=True)
        return [value for value, in struct.iter_unpack(form, data)]

    def triangles(self, clip):
        flat = self.numbers(clip + "-mesh", "<I")
        return list(zip(flat[0::3], flat[1::3], flat[2::3], strict=True))

    def codes(self, clip, i):
        return self.numbers(f"{clip}-{i}", "<H")

    def points(self, clip, i):
        """Positions of a frame, and how far off each coordinate may be."""
        about = self.clips[clip]
        codes = self.codes(clip, i)[:3 * about["points"]]
        box = about["frames"][i]["box"]
        steps = [(high - low) / MOST_CODE for low, high in box]
        flat = [box[k % 3][0] + steps[k % 3] * code for k, code in enumerate(codes)]
        return list(zip(flat[0::3], flat[1::3], flat[2::3], strict=True)), max(steps)

    def values(self, clip, i, name):
        """Those of a field, one for each point or each square; None where there is none."""
        about = self.clips[clip]
        field = [one["name"] for one in about["fields"]].index(name)
        n = about["points"] // about["aValue"]
        first = 3 * about["points"] + field * n
        codes = self.codes(clip, i)[first:first + n]
        low, high = about["frames"][i]["ranges"][field]
        return [None if code == NO_VALUE else low + (high - low) / MOST_CODE * code
                for code in codes]
