# SPDX-License-Identifier: BSD-3-Clause
"""links.py FILE|FOLDER... - links of Markdown and HTML inside of what is here.

Each file, and each *.html of a folder: a link to a file that is not there, or to
a heading that the file does not have, is printed, and the exit status is 1.
Links to other sites are not looked at.
"""
import html.parser
import os
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name"):
                self.anchors.add(value)


def markdown(text):
    """As GitHub names headings."""
    page = Page()
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for title in re.findall(r"^#+ +(.*?) *$", text, re.M):
        title = re.sub(r"\]\([^)]*\)", "]", title).lower()
        name = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        page.anchors.add(name)
    text = re.sub(r"`[^`\n]*`|^    .*", "", text, flags=re.M)
    page.links = re.findall(r"\]\(([^)\s]+)\)", text)
    return page


def read(path, known={}):
    if path not in known:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".md"):
            known[path] = markdown(text)
        else:
            known[path] = Page()
            known[path].feed(text)
    return known[path]


def fault(path, link, top):
    """What is wrong with a link of that file, or None."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    name = urllib.parse.unquote(parts.path)
    start = top if name.startswith("/") else os.path.dirname(path)
    to = os.path.normpath(os.path.join(start, name.lstrip("/"))) if name else path
    if os.path.isdir(to):
        to = os.path.join(to, "index.html" if top else "README.md")
    if not os.path.exists(to):
        return "there is no such file"
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and to.endswith((".md", ".html")) and \
            anchor not in read(to).anchors:
        return "has no such heading"
    return None


def main(names):
    bad = count = 0
    for name in names:
        top = name if os.path.isdir(name) else ""
        files = [name] if not top else [
            os.path.join(folder, file) for folder, _, found in os.walk(name)
            for file in sorted(found) if file.endswith(".html")]
        for path in files:
            for link in read(path).links:
                count += 1
                what = fault(path, link, top)
                if what:
                    bad += 1
                    print(f"{path}: {link}: {what}")
    print(f"links: {count}, of which {bad} are broken")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
