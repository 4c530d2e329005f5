// The devices screen: the group's laptops, this laptop's name, invites, and revoking, accepting and
// readmitting.
import { find, make, once } from "./dom.js";
import { ask, askForOne, askWithChoice, isDialogOpen } from "./dialogs.js";
import { drawMembership, tell, whenJoined } from "./joining.js";
import { cut, warnOfLength } from "./labels.js";
import { closeMessages, complain, retract, say } from "./messages.js";
import { drawCode } from "./qr-code.js";
import { operationPatience, post, read } from "./requests.js";
import { arrangeRows, giveFocusBack, placeOfFocus } from "./rows.js";
import { shown } from "./screens.js";
import { isInBrowser } from "./source.js";
import { agoText, ownDevice, timeOfDay } from "./words.js";

let name = null;
let isAlone = true;
/** Whether this laptop was shut out of its group. */
let isShutOut = false;
/**
 * The shown invite: the group's keys and the number of laptops that were shut out when it was made, and the number
 * of earlier invites of this page that were still open then. `isCounted` is whether the devices were read since.
 * Null if there is no invite.
 */
let invited = null;
/** The keys that were listed when the last invite was made, and those announced since; null without an invite. */
let met = null;
/** The devices that were read last, and the shared time of that. */
let devices = [];
let now = 0;
/** The number of reads of the devices that were begun, and the number of the latest one that was drawn. */
let begun = 0;
let drawn = 0;
let ending;
/** The link that opens a page with the shown invite; null if there is none. */
let shownLink = null;
/** Why the last request failed; null if none has. */
let failure = null;
/** The time in which the agent starts a server, joins its group and makes an invite, in milliseconds. */
const sharingPatience = 80_000;
/** The largest number of names in a sentence: somebody may have listed hundreds of keys. */
const mostNames = 8;

/** Reads the devices and draws them. `at` is the shared time. */
export async function refreshDevices(state, at) {
  isAlone = state.group === null;
  find("alone").hidden = !isAlone;
  find("share-card").hidden = !isAlone;
  if (isAlone) {
    forgetInvite();
    met = null;
  }
  drawMembership(isAlone, state.joining);
  drawCards();
  const field = find("rename");
  if (field.value === (name ?? "")) field.value = state.device;
  name = state.device;
  now = at;
  await drawDevices();
}

async function drawDevices() {
  const number = ++begun;
  const answer = await read("/devices.json");
  // A later read was answered first.
  if (number < drawn) return;
  drawn = number;
  ({ devices } = answer);
  const isOut = !isAlone && devices.some((device) => device.this && device.revoked);
  // What was said about joining isn't true any more.
  if (isOut && !isShutOut) tell(null);
  isShutOut = isOut;
  drawCards();
  if (isShutOut || isInviteOver()) forgetInvite();
  const focus = placeOfFocus();
  find("device-list").replaceChildren(...devices.map(row));
  arrangeRows(find("device-list"), focus?.row);
  if (focus) giveFocusBack(focus);
  find("late-hint").hidden = !devices.some((device) => device.late);
  find("unnamed-hint").hidden = !devices.some(isListed);
  announceNewcomers();
}

/** Shows the cards that apply. Until the first state, none does. */
function drawCards() {
  find("invite-card").hidden = isAlone || isShutOut;
  find("rename-form").hidden = isShutOut;
}

/** Says who has come since the last invite was made. A name arrives a little later than its key. */
function announceNewcomers() {
  const came = met === null ? []
    : devices.filter(({ key, named, revoked, this: isOwn }) => named && !revoked && !isOwn && !met.has(key));
  if (came.length === 0) return;
  came.forEach(({ key }) => met.add(key));
  // It may say that there is no other laptop.
  tell(null);
  say(`${someNames(came)} ${came.length === 1 ? "is" : "are"} in the group now.`);
}

/** Whether only the server lists the device, so that it may belong to anybody. */
const isListed = (device) => !device.named && !device.revoked && !device.readmitted;

function row(device) {
  const remarks = [
    device.this ? `this ${ownDevice}` : null, serverText(device), shutOutText(device), device.readmitted ? "readmitted, not accepted yet" : null,
    device.refused ? "needs a new invite: the server still refuses its key" : null, device.online ? "online" : null,
    device.newSince === null || device.refused ? null : `new, got the group’s key ${agoText(now - device.newSince)}`,
    !device.named ? "only listed by the server"
      : device.lastEvent === null ? "no session yet" : `last used ${agoText(now - device.lastEvent)}`,
  ].filter(Boolean).join(", ");
  const waits = device.late ? make("strong", {}, "waiting to be accepted") : null;
  return make(
    "li", { class: "row", "data-row": device.key ?? device.name, "data-waits": device.late },
    make("span", { class: "name" }, title(device)), make("span", { class: "remark" }, waits, waits && ", ", remarks),
    make("span", { class: "actions" }, ...actions(device)));
}

/** Returns the buttons for a device. */
function actions(device) {
  if (isAlone || isShutOut || device.this || device.key === null) return [];
  const action = (word, what, act) =>
    make("button", {
      type: "button", class: "link", "data-action": word, "aria-label": what, click: once(() => act(device)),
    }, word);
  if (device.revocation?.from === "itself") return [];
  if (device.revoked) return [action("Take back", `Take back that ${title(device)} was shut out`, takeBack)];
  const shut = action("Shut out", `Shut out ${title(device)}`, shutOut);
  const waits = device.late || device.readmitted;
  return waits ? [action("Accept", `Accept ${title(device)}`, accept), shut] : [shut];
}

/** Returns the visible part of a name, without characters that show nothing. */
const look = (name) => name.normalize().replace(/\p{Default_Ignorable_Code_Point}/gu, "");

/**
 * Returns a device's title. It has the first digits of the key if the device has no name, if another name looks
 * the same, or if the server refuses the key, which is then to be shut out by these digits.
 */
function title(device) {
  const digits = (device.key ?? "").slice(0, 8);
  if (!device.name) return digits;
  const isAlike = devices.some((other) => other !== device && look(other.name) === look(device.name));
  return (isAlike || device.refused) && digits ? `${device.name} (${digits})` : device.name;
}

function someNames(these) {
  const told = these.slice(0, mostNames).map(title).join(", ");
  return these.length > mostNames ? `${told} and ${these.length - mostNames} more` : told;
}

function serverText({ server, this: isOwn }) {
  if (server === null) return null;
  const text = server === "unreachable" ? "the server (can’t be reached)" : "the server";
  return isOwn ? `${text} until “focus share --stop” in a terminal` : text;
}

function shutOutText(device) {
  if (!device.revoked) return null;
  if (device.revocation === null) return "shut out";
  const { from, by, at } = device.revocation;
  if (from === "itself") return `left ${agoText(now - at)}`;
  if (from === "record") return "shut out by a laptop that changed the key";
  return `shut out by ${by ?? "the server"}${at === null ? "" : ` ${agoText(now - at)}`}`;
}

async function shutOut(device) {
  // The device that is revoked may have listed these.
  const others = devices.filter((other) => isListed(other) && other.key !== device.key);
  const question = `Shut ${title(device)} out of the group? It won’t see later changes, and unused invites end.`;
  const choice = others.length === 0 ? null
    : `Shut out ${someNames(others)} too, which only the server lists`;
  const { yes, chosen } = await askWithChoice(question, "Shut out", choice);
  if (!yes) return;
  const shut = [device, ...(chosen ? others : [])];
  // The device may have let these in.
  const recent = devices.filter((other) => other.recent && other.arrival > device.arrival && !shut.includes(other));
  if (recent.length > 0) {
    const only = shut.length === 1 ? `Only ${title(device)}` : `Only the ${shut.length} chosen`;
    const answer = await askForOne(recentQuestion(recent, device), "Shut out too", only);
    if (answer === null) return;
    if (answer === "yes") shut.push(...recent);
  }
  await change({ revoke: shut.map((one) => one.key), only: true });
}

function recentQuestion(recent, device) {
  const them = recent.length === 1 ? "it" : "them";
  return `${someNames(recent)} came after ${title(device)}, since the last change of the group’s key or within a week. If nobody else invited ${them}, ${title(device)} did. Shut ${them} out too?`;
}

async function accept(device) {
  const digits = device.key.slice(0, 8);
  const called = title(device).includes(digits) ? title(device) : `${title(device)} (${digits})`;
  const why = device.readmitted ? "It was shut out and then readmitted."
    : "It came with a key from before a laptop was shut out.";
  const question = `Let ${called} read later changes? ${why}`;
  if (await ask(question, "Accept")) await change({ accept: device.key });
}

/** Offers to shut out the device that this one was before, or to change this one's name if another has the same. */
async function offerAfterJoining({ namesake, former }) {
  if (!namesake || shown !== "devices" || isDialogOpen()) return;
  if (former !== null && (await ask(former.question, "Shut out", "Not now"))) {
    await change({ revoke: [former.key], only: true });
    return;
  }
  find("rename").focus();
  find("rename").select();
}

/** Asks no question, because it gives no access: the key stays refused, and the laptop needs a new invite. */
async function takeBack(device) {
  await change({ readmit: device.key });
}

async function change(request) {
  say("Asking the server…", operationPatience);
  await attempt(async () => {
    const { did } = await post("/device", request, operationPatience);
    say(did);
    await drawDevices();
  });
}

/** Makes an invite and shows it, so that it can be copied. */
export async function invite() {
  if (isAlone) return say(`This ${ownDevice} is alone: ${isInBrowser ? "" : "share from it, or "}join a group, before you let others in.`);
  if (isShutOut) return say(`This ${ownDevice} was shut out of the group. Leave it first.`);
  say("Asking the server…", operationPatience);
  await attempt(async () => {
    // The device in this browser makes the link and its QR code with the page's own address.
    const answer = await post("/invite", isInBrowser ? { page: location.origin } : {}, operationPatience);
    closeMessages();
    await showInvite(answer);
  });
}

/**
 * Shares from this laptop, or continues that, and shows an invite for another one. If the group's server is on a laptop
 * that shares, only makes the invite. The agent refuses if the server is elsewhere.
 */
export async function share() {
  if (!isAlone && (isShutOut || devices.some(({ server }) => server !== null))) return invite();
  const button = find("share");
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  say("Starting the server on this laptop…", sharingPatience);
  await attempt(async () => {
    const answer = await post("/share", {}, sharingPatience);
    closeMessages();
    isAlone = false;
    find("share-card").hidden = true;
    find("invite-card").hidden = false;
    tell(answer.did);
    await showInvite(answer);
  });
  button.setAttribute("aria-disabled", "false");
}

async function showInvite({ invite: text, link, lifetimeMs, code }) {
  const made = tally(invited === null ? 0 : stillOpen(invited, invited.earlier + 1), false);
  invited = made;
  find("invite-text").value = text;
  showLink(link);
  showCode(code, link === null ? "The invite as a QR code" : "The link as a QR code");
  find("invite-until").textContent = `It ends at ${timeOfDay(Date.now() + lifetimeMs)}.`;
  find("invite-shown").hidden = false;
  clearTimeout(ending);
  ending = setTimeout(forgetInvite, lifetimeMs);
  // The field is high enough to show the whole invite. On another screen it has no height to measure.
  find("invite-text").style.height = "";
  const height = find("invite-text").scrollHeight;
  if (height > 0) find("invite-text").style.height = `${height + 2}px`;
  find("invite-text").focus();
  find("invite-text").select();
  // A laptop that is listed now came by an earlier invite.
  await drawDevices();
  if (invited !== made) return;
  invited = tally(stillOpen(made, made.earlier), true);
  met ??= new Set(invited.keys);
}

/** Offers the link that opens a page with the invite, and names its host if it isn't this page; null removes it. */
function showLink(link) {
  // The part behind # isn't sent to the server.
  shownLink = link;
  find("copy-link").hidden = link === null;
  const isElsewhere = link !== null && !link.startsWith(`${location.origin}/`);
  find("invite-link").hidden = !isElsewhere;
  find("invite-link").textContent = isElsewhere ? `The link gives the invite to the page at ${link.split("/#")[0]}.` : "";
}

/** Puts a QR code behind its summary, or removes it if `rows` is null. */
function showCode(rows, words = "") {
  const place = find("invite-code");
  place.hidden = rows === null;
  place.open = false;
  place.querySelector("svg")?.remove();
  if (rows !== null) place.append(drawCode(rows, words));
}

/** Returns an invite with the group as it was read last. */
const tally = (earlier, isCounted) =>
  ({ keys: new Set(devices.map(({ key }) => key)), shutOut: countShutOut(), earlier, isCounted });

/** The number of invites that are still open, if `count` were open when this invite was made. */
const stillOpen = (invite, count) => (hasShutOut(invite) ? 0 : Math.max(0, count - countNew(invite)));

const countShutOut = () => devices.filter((device) => device.revoked).length;

/** Whether a laptop was shut out since an invite was made, which ends it. */
const hasShutOut = ({ shutOut }) => countShutOut() > shutOut;
/** The number of laptops that have come since an invite was made. */
const countNew = ({ keys }) => devices.filter((device) => !device.this && !keys.has(device.key)).length;

/** Whether the shown invite has ended: one laptop more has come than earlier invites let in, or one was shut out. */
function isInviteOver() {
  return invited?.isCounted && (hasShutOut(invited) || countNew(invited) > invited.earlier);
}

/** Removes the invite from the page after it has ended, or when the laptop is no longer in the group. */
function forgetInvite() {
  clearTimeout(ending);
  invited = null;
  find("invite-shown").hidden = true;
  find("invite-text").value = "";
  showLink(null);
  showCode(null);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    find("invite-text").select();
    complain("The browser doesn’t allow copying here: press Ctrl-C.");
  }
}

async function rename() {
  const wanted = find("rename").value = cut(find("rename").value);
  if (wanted === name) return;
  await attempt(async () => {
    const answer = await post("/device", { rename: wanted });
    say([`This ${ownDevice} is now called ${wanted}.`, answer?.did ?? ""].join(" ").trim());
  });
}

async function attempt(act) {
  failure = null;
  try {
    await act();
  } catch (refusal) {
    failure = refusal.message;
    complain(failure);
  }
}

/** Removes the complaint about a request, because the laptop has reached its server since. */
export const forgetFailure = () => retract(failure);

whenJoined(offerAfterJoining);
warnOfLength(find("rename"), "name", { place: find("rename").parentElement });
find("rename-form").addEventListener("submit", (event) => {
  event.preventDefault();
  rename();
  find("rename").blur();
});
find("rename").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  find("rename").value = name ?? "";
  find("rename").blur();
});
find("invite").addEventListener("click", once(invite));
find("share").addEventListener("click", share);
find("copy-invite").addEventListener("click", () => copy(find("invite-text").value));
find("copy-link").addEventListener("click", () => copy(shownLink));
