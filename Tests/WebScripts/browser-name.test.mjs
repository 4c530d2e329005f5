import assert from "node:assert/strict";
import { test } from "node:test";
import { browserName } from "../../Client/FocusWeb/Assets/browser-name.js";

test("a browser is named after itself and its machine", () => {
  const names = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0": "Firefox on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0":
      "Edge on Windows",
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36":
      "Chrome on Android",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1":
      "Safari on an iPhone",
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36":
      "Chrome on ChromeOS",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36":
      "Chrome on Linux",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 EdgiOS/126.0.0 Mobile/15E148 Safari/604.1":
      "Edge on an iPhone",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1 OPT/4.7.0":
      "Opera on an iPhone",
    "Something else": "A browser",
  };
  for (const [userAgent, name] of Object.entries(names)) assert.equal(browserName({ userAgent }), name);
});

test("Safari on an iPad, which names a Mac, is known by its touch screen", () => {
  const userAgent =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15";
  assert.equal(browserName({ userAgent, maxTouchPoints: 5 }), "Safari on an iPad");
  assert.equal(browserName({ userAgent, maxTouchPoints: 0 }), "Safari on a Mac");
});
