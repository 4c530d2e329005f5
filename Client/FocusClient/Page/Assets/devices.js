// The devices' screen: who shares the session, this laptop's name, invites, and shutting a laptop out.
import { find, make } from "./dom.js";
import { ask } from "./dialogs.js";
import { complain, say } from "./messages.js";
import { post, read } from "./requests.js";
import { arrangeRows, focusedRow } from "./rows.js";
import { agoText } from "./words.js";

let name = null;

/** Reads who shares the session, and draws it. */
export async function refreshDevices(state) {
  const { devices } = await read("/devices.json");
  const isAlone = state.group === null;
  find("alone").hidden = !isAlone;
  find("invite-card").hidden = isAlone;
  const field = find("rename");
  if (field.value === (name ?? "")) field.value = state.device;
  name = state.device;

  const focused = find("device-list").contains(document.activeElement) ? focusedRow()?.dataset.row : null;
  const unnamed = devices.filter((device) => !device.named && !device.revoked && !device.readmitted);
  find("device-list").replaceChildren(...devices.map((device) => row(device, state, isAlone, unnamed)));
  arrangeRows(find("device-list"), focused);
  if (focused) find("device-list").querySelector('[tabindex="0"]')?.focus();
}

function row(device, state, isAlone, unnamed) {
  const remarks = [
    device.this ? "this laptop" : null, device.online ? "online" : null, shutOutText(device, state),
    device.readmitted ? "taken back, may join anew" : null,
    device.late && !device.revoked ? "waits to be accepted: focus devices accept" : null,
    !device.named ? "listed by the server, named by no laptop"
      : device.lastEvent === null ? "no press yet" : `last press ${agoText(state.now - device.lastEvent)}`,
  ].filter(Boolean);
  const canRevoke = !isAlone && !device.this && !device.revoked;
  const revoke = make("button", {
    type: "button", class: "link", "data-action": "Shut out", "aria-label": `Shut ${title(device)} out`,
    click: () => shutOut(device, unnamed),
  }, "Shut out…");
  return make(
    "li", { class: "row", "data-row": device.key ?? device.name },
    make("span", { class: "name" }, title(device)), make("span", { class: "remark" }, remarks.join(", ")),
    canRevoke ? make("span", { class: "actions" }, revoke) : null);
}

/** What a device is called: by the first digits of its key where nothing names it. */
function title(device) {
  return device.name || (device.key ?? "").slice(0, 8);
}

function shutOutText(device, state) {
  if (!device.revoked) return null;
  if (device.revocation === null) return "shut out";
  const { by, at } = device.revocation;
  return `shut out by ${by ?? "the server"}${at === null ? "" : ` ${agoText(state.now - at)}`}`;
}

async function shutOut(device, unnamed) {
  const others = unnamed.filter((other) => other.key !== device.key).map(title).join(", ");
  const along = others ? ` and with it ${others}, which the server lists and no laptop has named,` : "";
  const question = `Shut ${title(device)}${along} out, for good? It won’t see what is pressed from now on, and invites that nobody has used yet end.`;
  if (!(await ask(question, "Shut out"))) return;
  await attempt(async () => {
    await post("/device", { revoke: device.key ?? device.name });
    say(`${title(device)} is shut out.`);
  });
}

/** Makes an invite and shows it, to be copied. */
export async function invite() {
  if (find("invite-card").hidden) return;
  await attempt(async () => {
    find("invite-text").value = (await post("/invite", {})).invite;
    find("invite-shown").hidden = false;
    find("invite-text").focus();
    find("invite-text").select();
  });
}

async function copyInvite() {
  try {
    await navigator.clipboard.writeText(find("invite-text").value);
    say("Copied.");
  } catch {
    find("invite-text").select();
    complain("The browser doesn’t allow copying here: press Ctrl-C.");
  }
}

async function rename() {
  const wanted = find("rename").value.trim();
  if (wanted === name) return;
  await attempt(async () => {
    await post("/device", { rename: wanted });
    say(`This laptop is called ${wanted} now.`);
  });
}

async function attempt(act) {
  try {
    await act();
  } catch (refusal) {
    complain(refusal.message);
  }
}

find("rename-form").addEventListener("submit", (event) => {
  event.preventDefault();
  rename();
});
find("rename").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  find("rename").value = name ?? "";
  find("rename").blur();
});
find("invite").addEventListener("click", invite);
find("copy-invite").addEventListener("click", copyInvite);
