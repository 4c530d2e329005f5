// Joining a group with an invite, and leaving it. The invite is a secret: it is kept only in its field.
import { find, make, setText } from "./dom.js";
import { ask, askWithChoice } from "./dialogs.js";
import { complain, closeMessages, say } from "./messages.js";
import { operationPatience, post, Refusal } from "./requests.js";
import { goTo, shown } from "./screens.js";
import { isInBrowser } from "./source.js";
import { ownDevice } from "./words.js";

let isAlone = true;
/** Whether this page waits for joining, and whether the agent is joining for any page. */
let isWaiting = false;
let isAgentJoining = false;
/** Whether the field has an invite from the address, which nobody has used yet. */
let isFromAddress = false;

/** Called with the answer when this page has joined a group. */
let didJoin = () => {};

/** Sets the function that is called when this page has joined a group. */
export const whenJoined = (act) => { didJoin = act; };

/** Shows the form for joining, or the button for leaving. */
export function drawMembership(isNowAlone, isJoining) {
  isAlone = isNowAlone;
  isAgentJoining = isJoining;
  drawJoining();
  if (!isAlone) dropInvite();
  find("join-form").hidden = !isAlone;
  find("leave-card").hidden = isAlone;
  // The element that had the focus may be hidden now.
  if (!document.activeElement?.checkVisibility()) find("main").focus({ preventScroll: true });
}

/** Empties the field for an invite, because this device is in a group. */
function dropInvite() {
  find("join-invite").value = "";
  if (isFromAddress) sayInGroup();
  isFromAddress = false;
}

const sayInGroup = () => say(`This ${ownDevice} is in a group already. Leave that first.`);

/** Moves the focus to the field for an invite. */
export function goToInvite() {
  if (isAlone) find("join-invite").focus();
  else sayInGroup();
}

async function join() {
  const invite = find("join-invite").value.trim();
  if (isWaiting || isAgentJoining || invite === "") return;
  closeMessages();
  tell(null);
  isFromAddress = false;
  wait(true);
  try {
    const answer = await settled("/join", { invite }, askAboutAlone);
    if (answer === null) return;
    find("join-invite").value = "";
    tell(answer.did);
    didJoin(answer);
  } catch (refusal) {
    complain(refusal.message);
  } finally {
    wait(false);
  }
}

/** Asks about history that was recorded in no group. The default is to leave it behind. */
async function askAboutAlone(recorded) {
  wait(false);
  const { yes, chosen } = await askWithChoice(
    `${recorded} A copy of this history is kept here in any case.`, "Join",
    "Take this history along into the group, where all members see it", false);
  wait(yes);
  return yes ? { takeAlong: chosen } : null;
}

function wait(isNow) {
  isWaiting = isNow;
  drawJoining();
}

function drawJoining() {
  const isNow = isWaiting || isAgentJoining;
  const hadFocus = document.activeElement === find("give-up");
  find("join").setAttribute("aria-disabled", String(isNow));
  find("join-invite").readOnly = isNow;
  find("give-up").hidden = !isNow;
  setText(find("join-underway"), isNow ? `Asking the server to let this ${ownDevice} in…` : "");
  if (!isNow && hadFocus && isAlone) find("join-invite").focus();
}

async function giveUp() {
  try {
    await post("/join", { giveUp: true });
  } catch (refusal) {
    complain(refusal.message);
  }
}

/** Leaves the group if the person confirms it. */
export async function leave() {
  if (isAlone) return say(`This ${ownDevice} is in no group.`);
  try {
    const answer = await settled("/leave", {}, async (question, asked) => {
      if (!(await ask(question, "Leave"))) return null;
      say("Leaving…", operationPatience);
      // The second question is asked if the server couldn't be told.
      return { sure: true, untold: asked.sure === true };
    });
    closeMessages();
    if (answer !== null) tell(answer.did);
  } catch (refusal) {
    complain(refusal.message);
  }
}

/**
 * Shows the result on the devices screen until it is closed, and its first line on other screens. Null
 * removes it.
 */
export function tell(did) {
  // A line that begins with a space is for a terminal, and is shown as code.
  const lines = did?.split("\n").map((line) => make("p", {}, line.startsWith(" ") ? make("code", {}, line.trim()) : line)) ?? [];
  const close = make("button", { type: "button", class: "quiet", click: () => tell(null) }, "Close");
  find("outcome").replaceChildren(...lines, ...(did === null ? [] : [close]));
  if (did === null || shown === "devices") return;
  say(lines[0].textContent);
}

/**
 * Sends a request. While the agent asks a question, it sends the request again with the members that `decide`
 * returns for the question and the request, or returns null if these are null.
 */
async function settled(path, body, decide) {
  try {
    return await post(path, body, operationPatience);
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || !refusal.asks) throw refusal;
    const more = await decide(refusal.message, body);
    return more === null ? null : settled(path, { ...body, ...more }, decide);
  }
}

/** Moves an invite from the address into its field, so that the browser's history doesn't contain it. */
function takeFromAddress() {
  const [, invite] = /^#(lockstep\d+-[a-z0-9]+)$/i.exec(location.hash) ?? [];
  if (invite === undefined) return;
  history.replaceState(null, "", "/#devices");
  find("join-invite").value = invite;
  isFromAddress = true;
  goTo("devices");
  if (!isAlone) dropInvite();
}

if (isInBrowser) {
  takeFromAddress();
  addEventListener("hashchange", takeFromAddress);
}
find("join-form").addEventListener("submit", (event) => {
  event.preventDefault();
  join();
});
find("join-invite").addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "Enter") {
    // An invite has one line.
    event.preventDefault();
    find("join-form").requestSubmit();
  } else if (event.key === "Escape") {
    if (isWaiting || isAgentJoining) return giveUp();
    find("join-invite").value = "";
    find("join-invite").blur();
  }
});
find("give-up").addEventListener("click", giveUp);
find("leave").addEventListener("click", leave);
