// What goes to the agent besides the stream of events, and what is said where it refuses.
import { ask } from "./dialogs.js";
import { complain, forgive, say } from "./messages.js";
import { show } from "./on-screen.js";

export const agentGone = "The agent is gone: run “focus web” again.";

/** Long for a page on the same machine: then the browser holds the request back, or the agent stands still. */
const patience = 8000;
/** A history of many years takes a while to write and to read. */
const readingPatience = 40_000;
/** So long the agent waits for the server, and a little more. */
export const errandPatience = 40_000;

/**
 * Why the agent didn't do what it was asked; `asks` if it does after a yes, `isLate` if it didn't answer in time, and
 * `shown` if the timer isn't what the press was meant for: what it shows now.
 */
export class Refusal extends Error {
  constructor(sentence, asks = false, shown = null) {
    super(sentence);
    this.asks = asks;
    this.shown = shown;
    this.isLate = false;
  }
}

/** Reads a JSON document of the agent's. */
export async function read(path) {
  const response = await answer(path, { signal: AbortSignal.timeout(readingPatience) });
  try {
    return await response.json();
  } catch (failure) {
    throw refusal(failure);
  }
}

/** The name of the time zone of whoever looks; undefined where the browser doesn't say. */
export const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Reads a document of days: those of whoever looks, and not of the agent's place. */
export function readDays(path) {
  const zone = zoneHere();
  if (!zone) return read(path);
  return read(`${path}${path.includes("?") ? "&" : "?"}zone=${encodeURIComponent(zone)}`);
}

/** Asks the agent for something; gives what it answers, null where that is nothing. */
export async function post(path, body, within = patience) {
  const response = await answer(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    signal: AbortSignal.timeout(within),
  });
  return response.status === 204 ? null : response.json();
}

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, { signal: AbortSignal.timeout(patience), ...options, cache: "no-store" });
  } catch (failure) {
    throw refusal(failure);
  }
  if (response.ok) return response;
  const { error, ask: asks, shown } = await response.json().catch(() => ({}));
  throw new Refusal(error ?? (response.status === 403 ? agentGone : `The agent answered ${response.status}.`), asks, shown);
}

/** What is to be said of a request that failed on its way. */
function refusal(failure) {
  if (failure.name !== "TimeoutError") return new Refusal(agentGone);
  // A browser has six connections for a page, and each tab keeps one.
  const late = new Refusal("The agent doesn’t answer. If this page is open in many tabs, close some.");
  late.isLate = true;
  return late;
}

/** What was pressed last: one press goes after the other, so that they arrive in the order they were made. */
let last = Promise.resolve();
/** How many are on their way, or wait for that. */
let underway = 0;
/** What the timer shows by those of them that were answered; null where that is nothing, or the last one was refused. */
let ledTo = null;

/**
 * Presses, asks where the agent wants a yes, and says what it did or why not. True where it was done.
 *
 * With what the screen shows, as `shown` of the body: who presses on before an answer is there means what that will show.
 */
export function press(body) {
  const isBehind = underway > 0;
  if (!isBehind) ledTo = null;
  underway += 1;
  last = last
    .then(() => pressed(isBehind && ledTo && body.shown ? { ...body, shown: ledTo } : body))
    .finally(() => { underway -= 1; });
  return last;
}

async function pressed(body) {
  try {
    const answer = await post("/press", body);
    if (answer?.shown) {
      ledTo = answer.shown;
      show(ledTo);
    }
    if (answer?.did) say(answer.did);
    else forgive();
    return true;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    ledTo = null;
    // The sentence says it: the next press is meant for that.
    if (refusal.shown) show(refusal.shown);
    if (refusal.asks && !body.sure) {
      return (await ask(refusal.message)) ? pressed({ ...body, sure: true }) : false;
    }
    complain(refusal.message);
    return false;
  }
}
