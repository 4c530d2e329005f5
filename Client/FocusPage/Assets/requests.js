// Requests to the agent, or to the device in this browser, besides the stream of events, and the messages about refusals.
import { ask } from "./dialogs.js";
import { closeMessages, complain, retract, say } from "./messages.js";
import { onScreen, show } from "./on-screen.js";
import { gone, isInBrowser, send } from "./source.js";

/** A long limit for the same machine: beyond it, the browser holds the request back or the agent is stuck. */
const patience = 8000;
/** A history of many years takes a while to write and to read. */
const readingPatience = 40_000;
const answerer = isInBrowser ? "timer in this browser" : "agent";
/** A little longer than the agent waits for the server. */
export const operationPatience = 40_000;

/**
 * The agent's refusal of a request. `asks` is true if the agent accepts the request after a yes. `isLate` is
 * true if it didn't answer in time. `shown` is the present timer if the press was meant for another one. `field`
 * is the member of the request that is wrong, if a field of the page is for it. `agree` is the member of the
 * request that says yes, and `yes` its value.
 */
export class Refusal extends Error {
  constructor(sentence, asks = false, shown = null, field = null, agree = "sure", yes = true) {
    super(sentence);
    this.asks = asks;
    this.shown = shown;
    this.field = field;
    this.agree = agree;
    this.yes = yes;
    this.isLate = false;
  }
}

/** Reads a JSON document of the agent. */
export async function read(path) {
  return documentIn(await answer(path, { signal: AbortSignal.timeout(readingPatience) }));
}

/** Returns the JSON document in an answer, which may break off. */
async function documentIn(response) {
  try {
    return await response.json();
  } catch (failure) {
    throw refusal(failure);
  }
}

/** Returns a path with the browser's time zone, so that times are of that zone and not of the agent's. */
export function withZone(path) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone) return path;
  return `${path}${path.includes("?") ? "&" : "?"}zone=${encodeURIComponent(zone)}`;
}

/** Reads a document with days. */
export const readDays = (path) => read(withZone(path));

/** Sends a request to the agent. Returns the answer, or null if it is empty. */
export async function post(path, body, within = patience) {
  const response = await answer(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    signal: AbortSignal.timeout(within),
  });
  return response.status === 204 ? null : documentIn(response);
}

async function answer(path, options) {
  let response;
  try {
    response = await send(path, { signal: AbortSignal.timeout(patience), ...options, cache: "no-store" });
  } catch (failure) {
    throw refusal(failure, options.method === "POST");
  }
  if (response.ok) return response;
  const { error, ask: asks, shown, field, agree, event } = await response.json().catch(() => ({}));
  throw new Refusal(error ?? (response.status === 403 ? gone : `The ${answerer} answered ${response.status}.`), asks, shown, field, agree, event);
}

/** Returns the refusal for a request that got no answer. One that changes something may still be done. */
function refusal(failure, isChange = false) {
  if (failure.name !== "TimeoutError") return new Refusal(isInBrowser ? failure.message : gone);
  const doubt = isChange ? " It may still do this: look before you press again." : "";
  // A browser has six connections for a page, and each tab keeps one of them.
  const remedy = isInBrowser ? "" : " If this page is open in many tabs, close some.";
  const late = new Refusal(`The ${answerer} doesn’t answer.${doubt}${remedy}`);
  late.isLate = true;
  return late;
}

/** A name of this page, so that the agent tells its presses from those of other pages. */
const page = crypto.randomUUID();
/** The last press. Each press waits for the one before, so that they arrive in order. */
let last = Promise.resolve();
/** The number of presses that are sent or wait. */
let underway = 0;
/** The timer after the last answered press; null if the answer had none, or the press was refused. */
let ledTo = null;
/** The last refusal that describes the timer, and the timer that it describes; null if there is none. */
let described = null;

/** Removes a refusal that describes another timer than the one on the screen. */
export function forgetDescribed() {
  if (described === null || described.timer === JSON.stringify(onScreen())) return;
  retract(described.sentence);
  described = null;
}

/**
 * Sends a press. Asks the person if the agent wants a confirmation, and shows the result. Returns whether it
 * was done.
 *
 * `shown` in the body is the timer on the screen. If earlier presses are unanswered, it is replaced by the
 * timer after them, because the person means that one. `refuse` is called with the sentence of a refusal.
 */
export function press(body, refuse = complain) {
  const isBehind = underway > 0;
  if (!isBehind) ledTo = null;
  underway += 1;
  last = last
    .then(() => pressed(isBehind && ledTo && body.shown ? { ...body, shown: ledTo } : body, refuse))
    .finally(() => { underway -= 1; });
  return last;
}

async function pressed(body, refuse) {
  try {
    const answer = await post(withZone(`/press?page=${page}`), body);
    if (answer?.shown) {
      ledTo = answer.shown;
      show(ledTo);
    }
    if (answer?.did) say(answer.did);
    else closeMessages();
    return true;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    ledTo = null;
    // The message describes the present timer, so the next press applies to it.
    if (refusal.shown) show(refusal.shown);
    const { asks, agree, yes } = refusal;
    // A yes to undo one event is none to undo another.
    if (asks && body[agree] !== yes) {
      return (await ask(refusal.message)) ? pressed({ ...body, [agree]: yes }, refuse) : false;
    }
    if (refusal.field) document.querySelector(`[data-field="${refusal.field}"]`)?.setAttribute("aria-invalid", "true");
    refuse(refusal.message);
    if (refusal.shown) described = { sentence: refusal.message, timer: JSON.stringify(onScreen()) };
    return false;
  }
}
