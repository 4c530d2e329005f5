// Versions of the page. The service worker has all files of one version, and a newer one waits until the person takes it.

/** The time between two looks for a newer version, in milliseconds. */
const pause = 3_600_000;

/** Loads the page in the version that is ready; null if none is. */
let useNext = null;

/** Loads the page again, in the version that is ready if there is one. The service worker would give the present one. */
export function reloadPage() {
  if (useNext === null) location.reload();
  else useNext();
}

/** Registers the service worker. Calls `onReady` with a function that uses the new version when one is ready. */
export async function followVersions(onReady) {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  // The first version that this browser installs is the page's. A page that was loaded past the service worker isn't
  // controlled, and may be of another version.
  let isFirst = workers.controller === null && !(await workers.getRegistration().catch(() => null))?.active;
  let isReloading = false;
  const reload = () => {
    if (isReloading) return;
    isReloading = true;
    location.reload();
  };
  // Another tab may have taken the new version. All tabs follow, once.
  workers.addEventListener("controllerchange", () => {
    if (!isFirst) reload();
    isFirst = false;
  });
  let registration;
  try {
    registration = await workers.register("/service-worker.js", { updateViaCache: "none" });
  } catch (failure) {
    // The page works without it, as long as the server can be reached.
    console.info(failure);
    return;
  }
  const offer = () => {
    const { waiting } = registration;
    if (!waiting || !registration.active) return;
    useNext = () => {
      waiting.addEventListener("statechange", () => { if (waiting.state === "activated") reload(); });
      waiting.postMessage("use");
    };
    onReady(useNext);
  };
  offer();
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
  let looked = performance.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || performance.now() - looked < pause) return;
    looked = performance.now();
    registration.update().catch(() => {});
  });
}
