// The service worker: it has all files of one version of the page, and serves them without the network.

/**
 * The files of this version: the SHA-256 of each by its path, in hexadecimal digits. `scripts/web` writes them here, so
 * that this file changes with each version, and the browser sees that there is a new one.
 */
const files = {};

const prefix = "lockstep-files-";
const name = hashOf(new TextEncoder().encode(JSON.stringify(files))).then((hash) => prefix + hash);

/** Loads the files. The module is large, so it is taken from an earlier version that has the same. */
async function install() {
  const cache = await caches.open(await name);
  for (const [path, hash] of Object.entries(files)) {
    const file = (path.endsWith(".wasm") ? await known(path, hash) : null) ?? (await load(path));
    if ((await hashOf(await file.clone().arrayBuffer())) !== hash) throw new Error(`${path} isn’t of this version.`);
    await cache.put(path, file);
  }
}

/**
 * Removes the other versions. All pages load their files from this one from now on, also the page that has just
 * installed it, so that a worker that starts there is of the page's version.
 */
async function activate() {
  for (const other of await otherVersions()) await caches.delete(other);
  await clients.claim();
}

async function load(path) {
  const response = await fetch(path, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}

/** Returns a file of an earlier version, if it has this hash; otherwise null. */
async function known(path, hash) {
  for (const other of await otherVersions()) {
    const file = await (await caches.open(other)).match(path);
    if (file && (await hashOf(await file.clone().arrayBuffer())) === hash) return file;
  }
  return null;
}

async function otherVersions() {
  const own = await name;
  return (await caches.keys()).filter((other) => other.startsWith(prefix) && other !== own);
}

async function hashOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns a file of this version, or the server's answer if there is none. */
async function serve(request) {
  const cache = await caches.open(await name);
  return (await cache.match(new URL(request.url).pathname)) ?? fetch(request);
}

/** Brings the page to the front, or opens it. */
async function openPage() {
  const [page] = await clients.matchAll({ type: "window" });
  return page ? page.focus() : clients.openWindow("/");
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
// The person takes the new version.
addEventListener("message", ({ data }) => { if (data === "use") skipWaiting(); });
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && new URL(url).origin === location.origin) event.respondWith(serve(event.request));
});
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage());
});
