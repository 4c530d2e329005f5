import assert from "node:assert/strict";
import { mock, test } from "node:test";

/** A service worker that is being installed. */
class ServiceWorker extends EventTarget {
  state = "installing";
  messages = [];

  postMessage(message) { this.messages.push(message); }

  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}

test("a page that is loaded again gets the version that is ready, and otherwise the present one", async () => {
  const next = new ServiceWorker();
  const registration = Object.assign(new EventTarget(), { active: {}, waiting: null, installing: null });
  const serviceWorker = Object.assign(new EventTarget(), { controller: {}, register: async () => registration });
  Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
  const reload = mock.fn();
  globalThis.location = { reload };
  globalThis.document = new EventTarget();
  const { followVersions, reloadPage } = await import("../../Client/FocusWeb/Assets/versions.js");
  const offers = [];
  await followVersions((use) => offers.push(use));
  reloadPage();
  assert.deepEqual([offers.length, reload.mock.callCount()], [0, 1]);

  registration.installing = next;
  registration.dispatchEvent(new Event("updatefound"));
  registration.waiting = next;
  next.become("installed");
  assert.equal(offers.length, 1);
  reloadPage();
  assert.deepEqual([next.messages, reload.mock.callCount()], [["use"], 1]);
  registration.waiting = null;
  next.become("activated");
  assert.equal(reload.mock.callCount(), 2);
});
