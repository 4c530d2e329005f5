import "./globals.mjs";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { test } from "node:test";

const folders = ["FocusPage", "FocusWeb"].map((name) => new URL(`../../Client/${name}/Assets/`, import.meta.url));
/** All files of a page with the device in its browser, by name. */
const files = new Map(folders.flatMap((folder) => readdirSync(folder).map((name) => [name, new URL(name, folder)])));
const scripts = [...files].filter(([name]) => name.endsWith(".js")).map(([name, address]) => [name, readFileSync(address, "utf8")]);

test("no two files of the page have the same name", () => {
  assert.equal(files.size, folders.flatMap((folder) => readdirSync(folder)).length);
});

test("each name that a script imports is exported by the other one", () => {
  const exported = new Map(scripts.map(([name, text]) => [
    name, new Set([...text.matchAll(/^export (?:async )?(?:const|let|function|class) (\w+)/gm)].map(([, one]) => one)),
  ]));
  for (const [name, text] of scripts) {
    for (const [, names, from] of text.matchAll(/^import \{ ([^}]+) \} from "\.\/([^"]+)";$/gm)) {
      for (const one of names.split(", ")) assert.ok(exported.get(from)?.has(one), `${name}: ${one} from ${from}`);
    }
  }
});

test("each name that a script imports is used, and each path that it names is a file", () => {
  for (const [name, text] of scripts) {
    for (const [whole, names] of text.matchAll(/^import \{ ([^}]+) \} from .*$/gm)) {
      for (const one of names.split(", ")) {
        assert.ok(new RegExp(`\\b${one}\\b`).test(text.replace(whole, "")), `${name}: ${one}`);
      }
    }
    for (const [, path] of text.matchAll(/"\/([a-z-]+\.(?:js|css|png|svg))"/g)) assert.ok(files.has(path), `${name}: ${path}`);
  }
});

test("each element that a script finds is in the page, or another script makes it", () => {
  const page = readFileSync(files.get("page.html"), "utf8");
  const all = [page, ...scripts.map(([, text]) => text)].join("\n");
  for (const [name, text] of scripts) {
    for (const [, id] of text.matchAll(/\bfind\("([a-z-]+)"\)/g)) {
      assert.ok(all.includes(`id="${id}"`) || all.includes(`id: "${id}"`) || id.startsWith("setting-"), `${name}: ${id}`);
    }
  }
});

test("without the device in the browser, no script of it is loaded", () => {
  const own = readdirSync(folders[1]);
  for (const name of readdirSync(folders[0]).filter((one) => one.endsWith(".js"))) {
    const text = readFileSync(files.get(name), "utf8");
    for (const [, from] of text.matchAll(/^import .*"\.\/([^"]+)";$/gm)) assert.ok(!own.includes(from), `${name}: ${from}`);
  }
});

/** Returns the names of a script and of all that it imports. */
function loadedBy(name, loaded = new Set()) {
  if (loaded.has(name)) return loaded;
  loaded.add(name);
  const text = readFileSync(files.get(name), "utf8");
  for (const [, from] of text.matchAll(/(?: from |^import |\bimport\()"\.?\/([^"]+)"/gm)) loadedBy(from, loaded);
  return loaded;
}

const made = process.env.FOCUS_WEB ?? ".build/web";
const ifMade = { skip: existsSync(made) ? false : `${made} isn't there (make web)` };

test("no made file has a path of the machine that made it, or a date of the C compiler", ifMade, () => {
  const traces = [process.cwd(), homedir(), "/tmp/tmp.", tmpdir() + "/tmp."];
  const date = /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d 20\d\d\b/;
  for (const name of readdirSync(made)) {
    const text = readFileSync(`${made}/${name}`, "latin1");
    for (const trace of traces.filter((one) => one.length > 5)) assert.ok(!text.includes(trace), `${name}: ${trace}`);
    assert.doesNotMatch(text, date, name);
  }
});

test("the made page says that its device is in the browser, and the service worker has all of its files",
  ifMade, () => {
    const read = (name) => readFileSync(`${made}/${name}`);
    const page = read("index.html").toString();
    assert.match(page, /^<html [^>]*data-device="here"/m);
    const preloads = [...page.matchAll(/^<link rel="modulepreload" href="\/([a-z-]+\.js)">$/gm)].map(([, name]) => name);
    assert.deepEqual(preloads.sort(), [...loadedBy("page.js")].sort());
    assert.match(read("storage.js").toString(), /^const version = "[0-9a-f]{64}";$/m);
    const [, list] = /^const files = (\{.*\});$/m.exec(read("service-worker.js").toString());
    const names = readdirSync(made).filter((name) => name !== "service-worker.js");
    const hash = (name) => createHash("sha256").update(read(name)).digest("hex");
    const wanted = names.map((name) => [name === "index.html" ? "/" : `/${name}`, hash(name)]);
    assert.deepEqual(JSON.parse(list), Object.fromEntries(wanted));
    for (const name of files.keys()) assert.ok(name === "page.html" || name === "service-worker.js" || names.includes(name), name);
  });
