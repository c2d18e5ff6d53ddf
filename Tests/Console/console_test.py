"""The console as a person meets it: two boxes, a browser, twenty steps, and those who should get nothing.
Run by console-test; each step prints a line, and a picture of what was seen is kept."""

import contextlib
import http.server
import json
import os
import pathlib
import signal
import sys
import threading
import time
import traceback

from playwright.sync_api import expect, sync_playwright

from boxes import World, until

PROGRAMS, SHOTS = sys.argv[1], pathlib.Path(sys.argv[2])
DOCUMENTS = int(os.environ.get("REPL_CONSOLE_DOCUMENTS", "10000"))
MODULES = (pathlib.Path(__file__).parent / "modules.js").read_text()
CHECKS = (pathlib.Path(__file__).parent / "checks.js").read_text()
BEGAN = time.monotonic()
SCRIPT = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
# Generous: a machine that is busy is slow, and a step that hangs still ends.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)


class Session:
    def __init__(self, world, browser, console):
        self.world, self.console = world, console
        self.attic, self.laptop = world.attic, world.laptop
        self.context = browser.new_context(viewport={"width": 1280, "height": 860}, color_scheme="light",
                                           permissions=["clipboard-read", "clipboard-write"])
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.errors, self.strangers, self.allowed, self.steps = [], [], [], 0
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.errors.append(f"exception: {error}"))
        self.page.on("request", self.asked)

    def heard(self, message):
        # The browser itself says each refusal; those that a step provokes are named there.
        if message.type == "error" and not any(word in message.text for word in self.allowed):
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def asked(self, request):
        if not request.url.startswith(self.console.root):
            self.strangers.append(request.url)

    def step(self, name, action):
        self.steps += 1
        action()
        self.page.screenshot(path=SHOTS / f"{self.steps:02}-{name.split(':')[0].replace(' ', '-')}.png")
        if self.errors:
            raise AssertionError(f"the page said: {self.errors}")
        print(f"✔ {name} ({time.monotonic() - BEGAN:.0f} s)", flush=True)

    def go(self, path):
        self.page.evaluate("path => { location.hash = path }", f"#/{path}")

    def space(self, tab, key=None):
        identity = json.loads(self.attic.ctl("space", "show", "household", "--json").stdout)["id"]
        self.go(f"space/{identity}/{tab}" + (f"/{key}" if key else ""))

    def check(self, what):
        """Labels, outline, sizes and contrast of what is shown, in both colour schemes and as on a phone."""
        for scheme, width in (("light", 1280), ("dark", 1280), ("dark", 390), ("light", 390)):
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            self.page.set_viewport_size({"width": width, "height": 844})
            self.page.wait_for_timeout(150)
            problems = self.page.evaluate(CHECKS)
            self.page.screenshot(path=SHOTS / f"look-{what}-{scheme}-{width}.png")
            if problems:
                raise AssertionError(f"{what}, {scheme}, {width} wide: {problems}")
        self.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
        self.page.set_viewport_size({"width": 1280, "height": 860})

    def sure(self, title, button):
        box = self.page.get_by_role("dialog", name=title)
        expect(box).to_be_visible()
        box.get_by_role("button", name=button).click()

    # MARK: The steps

    def opens(self):
        self.page.goto(self.console.address)
        expect(self.page.get_by_role("heading", name="Overview")).to_be_visible()
        assert self.page.url == self.console.root, self.page.url
        cookie = self.context.cookies(self.console.root)[0]
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["path"] == self.console.path, cookie
        assert self.page.evaluate("document.cookie") == ""

    def computes(self):
        problems = self.page.evaluate(MODULES)
        assert not problems, problems

    def creates(self):
        self.page.get_by_role("link", name="Spaces", exact=True).click()
        self.page.get_by_label("Name", exact=True).fill("household")
        self.page.get_by_role("button", name="Create the space").click()
        expect(self.page.get_by_role("heading", name="household")).to_be_visible()

    def invites(self):
        self.page.get_by_role("button", name="Invite a box").click()
        box = self.page.get_by_role("dialog")
        code = box.get_by_role("img", name="The token as a QR code")
        expect(code).to_be_visible()
        ground, whole = code.locator("rect").bounding_box(), code.bounding_box()
        assert abs(ground["width"] - whole["width"]) < 2, f"the code's ground is {ground} in {whole}"
        assert code.locator("rect").evaluate("rect => getComputedStyle(rect).fill") == "rgb(255, 255, 255)"
        box.get_by_role("button", name="Copy the token").click()
        token = self.page.evaluate("navigator.clipboard.readText()")
        assert token.startswith("repl1-"), token
        self.check("invite")
        box.get_by_role("button", name="Done").click()
        self.laptop.ctl("join", token)
        expect(self.page.get_by_role("heading", name="laptop")).to_be_visible()
        self.check("members")

    def sees_the_mesh(self):
        self.go("")
        expect(self.page.get_by_role("img", name="1 of 1 peer linked")).to_be_visible()
        expect(self.page.get_by_role("region", name="In sync")).to_contain_text("Up to date with 1 of 1")
        self.page.get_by_role("button", name="Ping laptop").click()
        expect(self.page.locator(".toast")).to_contain_text("laptop answered")
        self.check("overview")

    def makes_a_document(self):
        self.space("documents")
        self.page.get_by_role("button", name="New document").click()
        self.page.get_by_label("Key", exact=True).fill("note/groceries")
        self.page.get_by_role("button", name="Make it").click()
        expect(self.page.get_by_role("heading", name="note/groceries")).to_be_visible()
        for name, kind, value in (("title", "value", "Food"), ("body", "text", ""), ("visits", "counter", ""),
                                  ("items", "list", ""), ("tags", "set", ""), ("seen", "ordered-set", ""),
                                  ("banned", "remove-wins-set", ""), ("more", "map", ""), ("done", "value", "false"),
                                  ("qty", "value", "9007199254740993")):
            self.page.get_by_label("Name of a new place in the document").fill(name)
            self.page.get_by_label("Kind of the new place in the document").select_option(kind)
            if kind == "value":
                self.page.get_by_label("Value of the new place in the document").fill(value)
            self.page.keyboard.press("Enter") if kind == "value" else \
                self.page.locator(".editor > .slot > .body > form.add button").click()
            expect(self.page.locator(f'.slot .name:text-is("{name}")')).to_be_visible()
        assert self.attic.value("household", "note/groceries", "qty") == 9007199254740993

    def edits_each_kind(self):
        page = self.page
        page.get_by_label("title", exact=True).fill("Groceries")
        page.keyboard.press("Enter")
        page.get_by_label("done", exact=True).check()
        page.get_by_label("Amount for visits").fill("4")
        page.get_by_label("Add the amount to visits").click()
        for label, values in (("Element to add to items", ["milk", "bread"]), ("Value to add to tags", ["work", "7"]),
                              ("Value to add to seen", ["x", "y"]), ("Value to add to banned", ["spam"])):
            for value in values:
                page.get_by_label(label).fill(value)
                page.keyboard.press("Enter")
                expect(page.get_by_label(label)).to_have_value("")
        page.locator(".slot.list").get_by_label("Move down").first.click()
        page.get_by_label("Remove 7").click()
        wanted = {"title": "Groceries", "done": True, "visits": 4, "items": ["bread", "milk"], "tags": ["work"],
                  "seen": ["x", "y"], "banned": ["spam"], "more": {}, "body": "", "qty": 9007199254740993}
        until("all of it is written", lambda: self.attic.value("household", "note/groceries") == wanted)
        until("laptop has it", lambda: self.laptop.value("household", "note/groceries") == wanted)
        assert self.page.locator(".slot .touched-by:not(:empty)").count() == 0, "own edits are marked as another's"
        self.check("document")

    def writes_together(self):
        self.allowed = ["412"]
        area = self.page.get_by_label("body", exact=True)
        area.click()
        for index in range(12):
            self.page.keyboard.type(f"a{index}")
            if index % 4 == 0:
                self.laptop.ctl("splice", "household", "note/groceries", "body", "0", "0", f"L{index} ")
        def level():
            texts = {self.attic.value("household", "note/groceries", "body"), area.input_value(),
                     self.laptop.value("household", "note/groceries", "body")}
            text = texts.pop()
            return not texts and "".join(f"a{index}" for index in range(12)) in text.replace("L0 ", "").replace(
                "L4 ", "").replace("L8 ", "") and all(f"L{index} " in text for index in (0, 4, 8))
        until("both hands are in one text", level)
        expect(self.page.get_by_role("list", name="Who wrote here")).to_contain_text("laptop wrote here")
        self.page.wait_for_timeout(300)
        self.allowed = []

    def shows_scripts_as_text(self):
        self.laptop.ctl("set", "household", "note/<b>x", f"title={SCRIPT}", "--text", f"body={SCRIPT}")
        self.laptop.ctl("set", "household", "note/<b>x", f"{SCRIPT.replace('.', '')}=1")
        until("attic has it", lambda: self.attic.value("household", "note/<b>x"))
        self.space("documents", "note%2F%3Cb%3Ex")
        expect(self.page.get_by_role("heading", name="note/<b>x")).to_be_visible()
        expect(self.page.get_by_label("title", exact=True)).to_have_value(SCRIPT)
        expect(self.page.get_by_label("body", exact=True)).to_have_value(SCRIPT)
        expect(self.page.locator(".slot .name", has_text="<script>")).to_be_visible()
        expect(self.page.get_by_role("option", name="note/<b>x")).to_contain_text("<script>")
        assert self.page.evaluate("window.ran") is None
        assert self.page.locator("main img").count() == 0

    def is_alone(self):
        self.laptop.stop()
        self.go("")
        expect(self.page.get_by_role("region", name="In sync")).to_contain_text("Alone")
        expect(self.page.get_by_role("region", name="In sync")).to_contain_text("laptop is not linked")
        self.check("alone")

    def takes_a_conflict(self):
        self.laptop.start(cut_off=True)
        self.laptop.ctl("set", "household", "note/groceries", "title=Shopping")
        self.laptop.stop()
        self.attic.ctl("set", "household", "note/groceries", "title=Errands")
        self.laptop.start()
        self.space("conflicts")
        until("both see the conflict", lambda: "Shopping" in self.attic.ctl("conflicts", "household").stdout)
        self.go("")
        self.space("conflicts")
        expect(self.page.get_by_role("heading", name="note/groceries · title")).to_be_visible()
        self.check("conflicts")
        self.page.get_by_role("listitem").filter(has=self.page.get_by_text("Shopping", exact=True)).last.get_by_role(
            "button").click()
        self.sure("Keep this value?", "Keep it")
        expect(self.page.get_by_text("No conflicts")).to_be_visible()
        until("laptop has the value that was taken",
              lambda: self.laptop.value("household", "note/groceries", "title") == "Shopping")

    def scrolls_many(self):
        def lines():
            for start in range(0, DOCUMENTS, 500):
                yield json.dumps({"operations": [
                    {"op": "set", "document": f"item/{index:07}", "path": [], "value": {"title": f"Item {index}", "qty": index % 10}}
                    for index in range(start, min(DOCUMENTS, start + 500))]})
        marks = [("", time.monotonic())]
        def mark(name):
            marks.append((name, time.monotonic()))
        self.attic.ctl("apply", "household", input="\n".join(lines()) + "\n")
        mark("written")
        self.go("")
        self.space("documents")
        box = self.page.get_by_role("listbox", name="Documents")
        expect(box.get_by_role("option", name="item/0000000")).to_be_visible()
        total = DOCUMENTS + 2
        expect(self.page.get_by_text(f"{total:,} documents")).to_be_visible()
        mark("opened and counted")
        box.focus()
        self.page.keyboard.press("End")
        expect(box.get_by_role("option", name="note/groceries")).to_be_visible()
        mark("to the end")
        for share in (0.5, 0.25, 0.75, 0.1):
            box.evaluate("(box, share) => { box.scrollTop = share * (box.scrollHeight - box.clientHeight) }", share)
            middle = int(share * total)
            def reached():
                rows = box.get_by_role("option").all_inner_texts()
                numbers = [int(text.split("\n")[0].removeprefix("item/")) for text in rows if text.startswith("item/")]
                return len(numbers) == len(rows) and min(numbers) - 60 <= middle <= max(numbers) + 60
            until(f"rows about {middle} are there", reached, 120 + DOCUMENTS / 10_000)
            mark(f"to {share:.0%}")
        box.evaluate("box => { box.scrollTop = 0 }")
        for _ in range(20):
            box.evaluate("box => { box.scrollTop += 300 }")
            self.page.wait_for_timeout(20)
        assert box.get_by_role("option").count() < 60, "rows that nobody sees are there"
        expect(box.get_by_role("option").nth(8)).to_contain_text("title: Item")
        for (_, before), (name, at) in zip(marks, marks[1:]):
            print(f"  {name}: {at - before:.2f} s", flush=True)

    def finds(self):
        page = self.page
        page.get_by_label("Key begins with").fill("item/")
        page.get_by_text("Filter and order").click()
        page.get_by_label("Only where").fill('qty = 3 and title ~ "99"')
        page.get_by_label("In the order of").fill("-title")
        page.keyboard.press("Enter")
        expect(page.get_by_role("option").first).to_contain_text("Item 99")
        self.allowed = ["400"]
        page.get_by_label("Only where").fill("qty = = 3")
        page.keyboard.press("Enter")
        expect(page.locator("#where-error")).not_to_be_empty()
        page.wait_for_timeout(200)
        self.check("finding")
        self.allowed = []
        for label in ("Key begins with", "Only where", "In the order of"):
            page.get_by_label(label).fill("")
        page.keyboard.press("Enter")

    def uses_the_keyboard(self):
        page = self.page
        expect(page.get_by_role("option", name="item/0000000")).to_be_visible()
        page.get_by_role("listbox", name="Documents").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="item/0000001")).to_be_visible()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement !== document.body")
        page.evaluate("document.body.focus(); document.activeElement.blur()")
        page.reload()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"

    def follows_changes(self):
        self.space("changes")
        expect(self.page.get_by_text("live", exact=True)).to_be_visible()
        self.laptop.ctl("set", "household", "note/groceries", "done=false")
        item = self.page.get_by_role("list", name="Changes, the newest first").get_by_role("listitem").first
        expect(item).to_contain_text("laptop")
        expect(item).to_contain_text("done = false")
        self.page.get_by_role("button", name="Show earlier changes").click()
        expect(self.page.get_by_role("list", name="Earlier changes")).to_contain_text("operation")
        self.check("changes")

    def changes_a_role(self):
        self.space("members")
        role = self.page.get_by_label("Role of laptop")
        role.select_option("admin")
        self.sure("Give laptop the role admin?", "Leave it as it is")
        expect(role).to_have_value("writer")
        role.select_option("admin")
        self.sure("Give laptop the role admin?", "Make it admin")
        expect(self.page.locator(".toast").last).to_contain_text("laptop is admin now")
        until("laptop is admin", lambda: '"admin"' in self.laptop.ctl("space", "show", "household", "--json").stdout)

    def renews_keys(self):
        self.page.get_by_role("button", name="Renew the keys").click()
        self.sure("Renew the keys?", "Renew the keys")
        expect(self.page.get_by_text("Epoch 2")).to_be_visible()

    def removes_and_adopts(self):
        self.laptop.stop()
        self.page.get_by_role("button", name="Remove…").click()
        self.sure("Remove laptop?", "Leave it as it is")
        self.page.get_by_role("button", name="Remove…").click()
        expect(self.page.get_by_role("dialog", name="Remove laptop?")).to_contain_text("What is held of its changes stays")
        self.sure("Remove laptop?", "Remove laptop")
        expect(self.page.get_by_text("laptop was removed")).to_be_visible()
        self.laptop.start(cut_off=True)
        self.laptop.ctl("set", "household", "note/late", "title=late")
        self.laptop.stop()
        self.laptop.start()
        until("what it wrote late is here, without effect", lambda: "note/late" in self.attic.ctl(
            "void", "household", "--json").stdout)
        self.go("")
        self.space("members")
        # Of many documents there was a checkpoint meanwhile: what only acknowledged it has nothing to be adopted.
        self.page.get_by_role("button", name="Adopt…").click()
        self.sure("Adopt 1 change?", "Adopt")
        until("it counts now", lambda: self.attic.value("household", "note/late", "title") == "late")
        expect(self.page.get_by_text("adopted", exact=True).first).to_be_visible()

    def plots(self):
        self.go("metrics")
        expect(self.page.get_by_role("heading", name="Transactions")).to_be_visible()
        self.page.get_by_text("All counters").click()
        expect(self.page.get_by_role("rowheader", name="repl_transactions_total")).to_be_visible()
        self.check("metrics")

    def deletes(self):
        self.space("documents", "note%2Flate")
        self.page.get_by_role("button", name="Delete…").click()
        self.sure("Delete note/late?", "Leave it as it is")
        assert self.attic.value("household", "note/late") is not None
        self.page.get_by_role("button", name="Delete…").click()
        self.sure("Delete note/late?", "Delete")
        until("it is gone", lambda: self.attic.value("household", "note/late") is None)

    def looks_after_spaces(self):
        self.go("spaces")
        expect(self.page.get_by_role("heading", name="Join a space")).to_be_visible()
        self.allowed = ["400", "410", "422"]
        self.page.get_by_label("Token").fill("repl1-nothing")
        self.page.get_by_role("button", name="Join").click()
        expect(self.page.locator(".toast.bad")).to_be_visible()
        self.check("spaces")
        self.page.wait_for_timeout(200)
        self.allowed = []

    def ends(self):
        self.allowed = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"]
        self.console.stop()
        expect(self.page.get_by_role("alert").first).to_contain_text("replctl console has ended")
        self.check("ended")


def strangers(session, browser):
    """Those who should get nothing."""
    console = session.console
    origin = f"http://127.0.0.1:{console.port}"
    cookie = session.context.cookies(console.root)[0]
    held = f"{cookie['name']}={cookie['value']}"
    status = console.path + "v1/status"

    def refused(what, answer, code=403):
        assert answer[0] == code, f"{what}: {answer[0]} {answer[2][:200]}"
        assert '"device"' not in answer[2] and "app.js" not in answer[2], what

    assert console.ask(status, Cookie=held)[0] == 200
    refused("no cookie", console.ask(status))
    refused("no cookie, a page", console.ask(console.path))
    refused("no cookie, a script", console.ask(console.path + "app.js"))
    refused("no place", console.ask("/v1/status", Cookie=held))
    refused("another cookie", console.ask(status, Cookie=f"{cookie['name']}={'a' * 52}"))
    refused("the token again", console.ask(f"{console.path}?token={console.token}"))
    refused("the token again, with the cookie", console.ask(f"{console.path}?token={console.token}", Cookie=held))
    for host in ("evil.example", f"evil.example:{console.port}", "127.0.0.1", f"localhost:{console.port}", None):
        refused(f"Host {host}", console.ask(status, Cookie=held, Host=host), 403 if host else 403)
    for foreign in ("http://evil.example", "null", f"http://127.0.0.1:{console.port + 1}", origin + "/"):
        refused(f"Origin {foreign}", console.ask(status, Cookie=held, Origin=foreign))
    refused("another site", console.ask(status, Cookie=held, Sec_Fetch_Site="cross-site"))
    refused("another port of this host", console.ask(status, Cookie=held, Sec_Fetch_Site="same-site"))
    spaces = console.path + "v1/spaces"
    body = '{"name":"stranger"}'
    refused("a write without Origin", console.ask(spaces, "POST", body, Cookie=held, Content_Type="application/json"))
    refused("a form", console.ask(spaces, "POST", body, Cookie=held, Origin=origin, Content_Type="text/plain"), 415)
    refused("what is not passed on", console.ask(console.path + "v1/backup", "POST", "", Cookie=held, Origin=origin), 404)
    refused("a method", console.ask(console.path, "DELETE", Cookie=held, Origin=origin), 405)
    refused("a large body", console.ask(spaces, "POST", "x" * (3 << 20), Cookie=held, Origin=origin,
                                        Content_Type="application/json"), 413)
    head = console.ask(console.path, Cookie=held)[1]
    policy = head["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" in policy, policy

    other = browser.new_context()
    page = other.new_page()
    page.goto(console.root)
    expect(page.get_by_role("heading", name="The console was not opened")).to_be_visible()
    page.screenshot(path=SHOTS / "other-browser.png")
    other.close()
    foreign_page(session)


def foreign_page(session):
    """A page of another server of this machine, in the browser that was let in: it gets neither data nor cookie."""
    seen = []

    class Foreign(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.headers.get("Cookie"))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>foreign</title>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = session.context.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    result = page.evaluate("""async (root) => {
        const answers = [];
        for (const [path, options] of [["v1/status", {}], ["v1/spaces", { method: "POST", mode: "no-cors", body: "{}" }]]) {
            try { answers.push((await fetch(root + path, { credentials: "include", ...options })).type); }
            catch { answers.push("refused"); }
        }
        const framed = await new Promise((resolve) => {
            const frame = document.createElement("iframe");
            frame.onload = () => { try { resolve(frame.contentDocument ? "read" : "shut"); } catch { resolve("shut"); } };
            frame.src = root;
            document.body.append(frame);
            setTimeout(() => resolve("shut"), 3000);
        });
        return [answers, framed];
    }""", session.console.root)
    assert result[0][0] == "refused", result
    assert result[1] == "shut", result
    assert all(cookie is None for cookie in seen), f"a foreign server got {seen}"
    page.close()
    server.shutdown()
    assert "stranger" not in session.attic.ctl("spaces").stdout


def main():
    # Whoever ends the test ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended before its time"))
    world = World(PROGRAMS)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ["CHROMIUM"], args=["--no-sandbox", "--disable-dev-shm-usage"])
            session = Session(world, browser, world.console(world.attic))
            try:
                run(session, browser)
            except BaseException:
                # What went wrong is told even where no picture of it can be had.
                with contextlib.suppress(Exception):
                    session.page.screenshot(path=SHOTS / "failed.png")
                raise
            finally:
                browser.close()
    finally:
        world.end()


def run(session, browser):
    session.step("opened: the token becomes a cookie and leaves the address bar", session.opens)
    session.step("strangers: who was not let in gets neither page nor data", lambda: strangers(session, browser))
    session.step("modules: texts merge, and the list keeps its rows", session.computes)
    session.step("space: a person makes one", session.creates)
    session.step("invite: a token to copy and to read by a camera; a box joins", session.invites)
    session.step("mesh: the link stands in the picture, and the peer answers", session.sees_the_mesh)
    session.step("document: it is made with a place of every kind", session.makes_a_document)
    session.step("kinds: each is edited, and numbers keep their 64 bits", session.edits_each_kind)
    session.step("together: two write one text at once, and are named", session.writes_together)
    session.step("scripts: what documents say is shown as text", session.shows_scripts_as_text)
    session.step("alone: the page says why it is not in sync", session.is_alone)
    session.step("conflict: one value is taken, after a question", session.takes_a_conflict)
    session.step(f"many: {DOCUMENTS} documents are scrolled", session.scrolls_many)
    session.step("finding: by prefix, filter and order; a wrong filter is explained", session.finds)
    session.step("keyboard: a document is opened without a mouse", session.uses_the_keyboard)
    session.step("changes: they come as they are committed, with who and what", session.follows_changes)
    session.step("role: it is changed after a question", session.changes_a_role)
    session.step("keys: they are renewed after a question", session.renews_keys)
    session.step("removal: what it costs is said first; what came late is adopted", session.removes_and_adopts)
    session.step("metrics: plots, and all counters", session.plots)
    session.step("deletion: it asks first", session.deletes)
    session.step("spaces: a wrong token is explained", session.looks_after_spaces)
    session.step("end: the page says that the console has ended", session.ends)
    assert not session.strangers, f"asked of others: {session.strangers}"


if __name__ == "__main__":
    try:
        main()
    except BaseException as failure:
        traceback.print_exc()
        print(f"✘ {failure}; pictures are in {SHOTS}", file=sys.stderr)
        sys.exit(1)
    print(f"✔ the console in a browser, in {time.monotonic() - BEGAN:.0f} s")
