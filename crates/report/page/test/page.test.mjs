// Every feature of the page in a real browser: Debian's chromium. PAGES is the folder with the pages of examples/pages.rs;
// SCREENSHOTS, if it is set, a folder for pictures of them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PAGES = process.env.PAGES;
assert.ok(PAGES, "PAGES says where the pages are");

let browser;
before(async () => {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  args.push("--disable-component-update", "--disable-sync");
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
});
after(() => browser.close());

/** Opens a page, and fails at its end if it complained or asked for anything. */
async function open(name, look, { width = 1400, height = 900, colorScheme = "light", hash = "" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(5_000);
  const wrong = [];
  const address = `${pathToFileURL(`${PAGES}/${name}`)}${hash}`;
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("dialog", (dialog) => wrong.push(dialog.message()));
  page.on("request", (request) => request.url() !== address.split("#")[0] && wrong.push(request.url()));
  await page.goto(address);
  await page.waitForSelector("main .row, tbody tr, main .faint");
  await look(page);
  if (process.env.SCREENSHOTS) {
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}-${width}-${colorScheme}.png` });
  }
  assert.deepEqual(wrong, []);
  await context.close();
}

const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);
const selected = (page) => page.locator(".row.selected .number").innerText();
const number = async (page) => Number((await selected(page)).replace(/\D/g, ""));
const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** The serious violations that axe finds. The policy of the page allows no script, so axe comes in from outside. */
async function axe(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).slice(0, 3).join(" | ")}`);
}

test("ten thousand steps keep under 3,000 nodes, wherever one is", () =>
  open("long.html", async (page) => {
    assert.match(await page.locator(".toolbar .count").last().innerText(), /^10,000 events$/);
    let most = await nodes(page);
    for (const keys of [["Home"], ["f", "End"], ["-", "-", "-", "-"], ["Home"]]) {
      await press(page, ...keys);
      most = Math.max(most, await nodes(page));
    }
    for (const part of [0.25, 0.5, 0.75]) {
      await page.evaluate((part) => {
        const scroller = document.querySelector(".scroller");
        scroller.scrollTop = part * scroller.scrollHeight;
      }, part);
      await page.waitForTimeout(60);
      most = Math.max(most, await nodes(page));
    }
    console.log(`long.html: at most ${most} nodes`);
    assert.ok(most < 3000, `${most} nodes`);
  }));

test("two hundred tasks are usable", () =>
  open("crowd.html", async (page) => {
    const shown = async () => page.locator(".lane").count();
    assert.ok((await shown()) < 40, "only lanes in view are there");
    assert.ok((await nodes(page)) < 3000);
    const own = await page.locator(".row.selected .cell").boundingBox();
    const split = await page.locator(".scroller").boundingBox();
    assert.ok(own.x >= split.x && own.x < split.x + split.width, "the lane of the selected event is in view");
    await page.selectOption("select >> nth=0", { label: "main.150" });
    assert.ok((await shown()) < 200);
    const events = await page.locator(".toolbar .count").last().innerText();
    assert.match(events, /^[\d,]+ of 4,000 events$/);
  }));

test("keys step through events, tasks and conflicts", () =>
  open("short.html", async (page) => {
    assert.equal(await number(page), 60);
    await press(page, "Home");
    assert.equal(await number(page), 1);
    await press(page, "ArrowDown", "ArrowDown", "ArrowUp");
    const at = await number(page);
    assert.ok(at > 1 && at < 12, `${at}`);
    await press(page, "Home", "n");
    const conflict = await number(page);
    await press(page, "n", "p");
    assert.equal(await number(page), conflict);
    assert.ok((await page.locator(".relations li").count()) > 0, "a conflict has a partner");
    const lane = () => page.locator(".row.selected .cell").evaluate((cell) => cell.style.left);
    const before = await lane();
    await press(page, "ArrowRight");
    assert.ok((await number(page)) > conflict);
    assert.equal(await lane(), before, "the next event of the same task");
    await press(page, "ArrowLeft");
    assert.equal(await number(page), conflict);
    await press(page, "End");
    assert.equal(await number(page), 60);
    await press(page, "?");
    assert.ok(await page.locator("dialog").isVisible());
    await press(page, "Escape");
    assert.ok(!(await page.locator("dialog").isVisible()));
  }));

test("a step is linked to", () =>
  open("short.html", async (page) => assert.equal(await number(page), 17), { hash: "#step-17" }));

test("stretches that share nothing are folded and opened", () =>
  open("long.html", async (page) => {
    const rows = () => page.locator(".row").first().getAttribute("aria-setsize").then(Number);
    const folded = await rows();
    assert.ok(folded < 10_000);
    await press(page, "Home");
    const fold = page.locator(".row.fold").first();
    await fold.scrollIntoViewIfNeeded();
    await fold.click();
    assert.ok((await rows()) > folded);
    // The last event is where it went wrong: folding hides nothing that is selected.
    await press(page, "End", "f");
    assert.equal(await rows(), 10_000);
    await press(page, "f");
    assert.equal(await rows(), folded);
  }));

test("search marks what it finds and goes from match to match", () =>
  open("short.html", async (page) => {
    await press(page, "Home", "/");
    await page.keyboard.type("STORE AtomicU64#");
    const found = Number((await page.locator(".toolbar .count").first().innerText()).split(" ")[0]);
    assert.ok(found > 1);
    await press(page, "Enter");
    const first = await number(page);
    assert.match(await page.locator(".row.selected .cell").innerText(), /^store AtomicU64#/);
    await press(page, "Enter");
    assert.ok((await number(page)) > first);
    await press(page, "Escape", "ArrowUp");
    assert.ok((await page.locator(".row.match").count()) > 0);
  }));

test("events are filtered by object and by task", () =>
  open("short.html", async (page) => {
    await page.selectOption("select >> nth=1", { label: "Mutex#1" });
    const objects = await page.locator(".row .cell .object").allInnerTexts();
    assert.ok(objects.length > 0 && objects.every((name) => name.trim() === "Mutex#1"), objects.join());
    await page.selectOption("select >> nth=1", { label: "All objects" });
    await page.locator(".lane").nth(1).click();
    assert.match(await page.locator(".toolbar .count").last().innerText(), / of 60 events$/);
    const title = await page.locator(".panel h2").first().innerText();
    assert.match(title, /step \d+/i, "an event of the filter is selected");
    await page.locator(".lane", { hasText: "main.1" }).click();
    assert.match(await page.locator(".toolbar .count").last().innerText(), /^60 events$/);
  }));

test("the panels say what is there and what is not known", () =>
  open("short.html", async (page) => {
    const panel = (title) => page.locator(".panel", { has: page.locator("h2", { hasText: title }) });
    assert.match(await panel("Source").innerText(), /src\/race\.rs:\d+/);
    assert.equal(await page.locator(".code .here").count(), 1);
    assert.match(await panel("State before it").innerText(), /AtomicU64#\d+/);
    assert.ok((await panel("What else could run here").locator("li.enabled").count()) > 0);
    await page.locator("button.link", { hasText: "src/race.rs" }).first().click();
    assert.equal(await page.locator(".panels .result, .panels .what").first().isVisible(), true);
    await press(page, "Home", "ArrowDown", "ArrowDown");
    await panel("What else could run here").locator("button.link").first().click();
    assert.ok((await number(page)) > 3, "the next event of the other task is selected");
  }));

test("arrows are drawn for each relation", () =>
  open("long.html", async (page) => {
    await press(page, "Home");
    const seen = new Set();
    for (let turn = 0; turn < 20; turn++) {
      const drawn = await page.locator(".arrows > path").evaluateAll((paths) => paths.map((path) => path.classList[0]));
      drawn.forEach((why) => seen.add(why));
      await page.evaluate(() => (document.querySelector(".scroller").scrollTop += 500));
      await page.waitForTimeout(30);
    }
    assert.deepEqual([...seen].sort(), ["message", "order", "reads", "spawns"]);
    await press(page, "Home", "n");
    assert.ok((await page.locator(".arrows > path.own").count()) > 0);
  }));

test("an arrow leads from what wakes a task up to its next event", () =>
  open("woken.html", async (page) => {
    const drawn = await page.locator(".arrows > path").evaluateAll((paths) => paths.map((path) => path.classList[0]));
    assert.deepEqual(drawn.sort(), ["order", "reads", "spawns", "wakes"]);
    const relation = () => page.locator(".relations li.wakes").innerText();
    await press(page, "End", "ArrowUp");
    assert.equal(await number(page), 6);
    assert.equal(await relation(), "was woken up by step 5 of main");
    assert.equal(await page.locator(".arrows > path.own.wakes").count(), 1);
    await press(page, "ArrowUp");
    assert.equal(await relation(), "wakes up step 6 of main.1");
  }));

test("zoom and theme", () =>
  open("short.html", async (page) => {
    const height = () => page.evaluate(() => document.querySelector(".row").getBoundingClientRect().height);
    const usual = await height();
    await press(page, "+", "+");
    assert.ok((await height()) > usual);
    await press(page, "0");
    assert.equal(await height(), usual);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: "Light/dark" }).click();
    assert.notEqual(await ground(), light);
  }));

test("a print has every event", () =>
  open("short.html", async (page) => {
    await press(page, "f");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator(".row").count(), 60);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    const pdf = await page.pdf({ format: "A4", landscape: true });
    assert.ok(pdf.length > 10_000);
  }));

test("a print says how much of a long execution it has", () =>
  open("crowd.html", async (page) => {
    const printed = page.locator(".printed");
    await press(page, "f");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator(".row").count(), 2000);
    assert.ok(await printed.isVisible());
    const words =
      /^Printed: 2,000 of 4,000 rows, the first ones; of 200 tasks as many as fit the paper, at most 60; 300 of [\d,]+ arrows between them\./;
    assert.match(await printed.innerText(), words);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    assert.ok(!(await printed.isVisible()));
  }));

test("a print of a short execution has all of it, and does not speak of that", () =>
  open("short.html", async (page) => {
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator(".printed").textContent(), "");
  }));

for (const name of ["hostile.html", "megabyte.html", "empty.html", "index.html"]) {
  test(`${name} is harmless`, () =>
    open(name, async (page) => {
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.equal(await page.evaluate(() => document.querySelectorAll("img, iframe, object, embed, link").length), 0);
      assert.equal(await page.evaluate(() => document.scripts.length), 2);
      await press(page, "Home", "ArrowDown", "n");
      const text = await page.evaluate(() => document.body.innerText + document.title);
      assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u.test(text));
      assert.ok((await nodes(page)) < 3000);
      const [page_, most] = await page.evaluate(() => [document.body.innerText.length, 200_000]);
      assert.ok(page_ < most, `${page_} characters`);
    }));
}

test("the policy stops what the page does not have", () =>
  open("short.html", async (page) => {
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.hacked = 1";
      document.body.append(script);
      return window.hacked;
    });
    assert.equal(ran, undefined);
  }).then(
    () => assert.fail("the policy says so on the console"),
    (error) => assert.match(error.message, /Content Security Policy/),
  ));

const looks = [
  ["short.html", "light", 1400],
  ["short.html", "dark", 500],
  ["long.html", "dark", 1400],
  ["crowd.html", "light", 500],
  ["hostile.html", "light", 1400],
  ["index.html", "light", 1400],
  ["index.html", "dark", 500],
];
for (const [name, colorScheme, width] of looks) {
  test(`axe finds nothing serious: ${name}, ${colorScheme}, ${width}`, () =>
    open(
      name,
      async (page) => {
        // A few rows of a long table are as good as all, and axe looks at each for long.
        if (name === "index.html") await page.getByRole("searchbox").fill("number_77");
        assert.deepEqual(await axe(page), []);
      },
      { colorScheme, width },
    ));
}

test("the page of a suite filters, searches and links", () =>
  open("index.html", async (page) => {
    const rows = () => page.locator("tbody tr").count();
    assert.equal(await rows(), 200);
    assert.ok((await nodes(page)) < 3000);
    await page.getByRole("button", { name: "Further tests" }).click();
    assert.match(await page.locator("p.count").innerText(), /^201 to 400 of 1000$/);
    await page.getByRole("button", { name: "200 failed" }).click();
    assert.equal(await page.locator("tbody tr.failed").count(), 200);
    await page.getByRole("searchbox").fill("number_77");
    assert.equal(await rows(), 2);
    assert.equal(await page.locator("tbody a").first().getAttribute("href"), "short.html");
  }));
