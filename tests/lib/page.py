# SPDX-License-Identifier: BSD-3-Clause
"""page.py - the data of a page (doc/page-format.md), decoded.

decode(FILE) gives the JSON, as a dictionary, and the arrays, as lists by name.
"""
import json
import re
import struct
import zlib


def numbers(kind, raw):
    if kind == "u8":
        return list(raw)
    found, number, shift = [], 0, 0
    for byte in raw:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(number)
            number = shift = 0
    assert shift == 0, "an array ends in the middle of a number"
    if kind == "varint":
        return found
    assert kind == "delta", kind
    last = 0
    for i, code in enumerate(found):
        last += (code >> 1) ^ -(code & 1)
        found[i] = last
    return found


def unpack(text):
    """13 bits, the lowest first, are two of 91 characters."""
    digits = [25 if c == "!" else ord(c) - 35 for c in text]
    bits = have = 0
    found = bytearray()
    for i in range(0, len(digits), 2):
        pair = digits[i:i + 2]
        bits |= (pair[0] + 91 * pair[-1] * (len(pair) - 1)) << have
        have += 13 if len(pair) > 1 else 6
        while have >= 8:
            found.append(bits & 255)
            bits >>= 8
            have -= 8
    return zlib.decompress(bytes(found))


def block(text, name):
    blocks = re.findall(r'<script type="application/octet-stream" '
                        r'id="' + name + r'">([!#-;=-}]*)</script>', text)
    assert len(blocks) == 1, "one block " + name
    return unpack(blocks[0])


def unpacked(path):
    """The template that the page was made of."""
    text = open(path, encoding="utf-8").read()
    script = block(text, "copse-page").decode("utf-8")
    text = re.sub(r'<script type="application/octet-stream" '
                  r'id="copse-data">.*</script>', "<!--COPSE-DATA-->", text)
    begin = text.index('<script type="application/octet-stream" '
                       'id="copse-page">')
    end = text.index("</script>", text.index("<script>", begin))
    return text[:begin] + script + text[end + len("</script>\n"):]


def place_texts(page):
    def text(cell):
        if isinstance(cell, list):
            return [text(part) for part in cell]
        return page["texts"][cell] if isinstance(cell, int) else cell
    for report in page["reports"].values():
        for table in report["tables"]:
            for c, column in enumerate(table["columns"]):
                if column["type"] in ("text", "left"):
                    for row in table["rows"]:
                        row[c] = text(row[c])


def decode(path):
    text = open(path, encoding="utf-8").read()
    raw = block(text, "copse-data")
    size = struct.unpack("<I", raw[:4])[0]
    page = json.loads(raw[4:4 + size].decode("utf-8"))
    place_texts(page)
    body, arrays, end = raw[4 + size:], {}, 0
    for name, (kind, count, size) in page["arrays"].items():
        arrays[name] = numbers(kind, body[end:end + size])
        assert len(arrays[name]) == count, name
        end += size
    assert end == len(body), "arrays are all there is"
    return page, arrays
