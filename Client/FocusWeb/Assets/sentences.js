// The device's sentences with the words of a browser. The device has the sentences of a laptop, some of which name its
// files, its programs or commands that a browser doesn't have.

/** Words that don't fit a browser, and the words for them. */
const ownWords = [
  [" “Share from this laptop” makes one.", ""],
  ["in a terminal:", "in a terminal of a laptop:"],
  [", 'focus doctor' says which", ""],
  ["; 'focus doctor' counts such changes", ""],
  // The device brings its own changes back once it is connected. On a laptop, the command takes those of others back.
  ["'focus clock accept' brings it back to now", "it comes back to now once this browser is connected and its clock right"],
  ["'focus clock accept' brings them back to now", "they come back to now once this browser is connected and its clock right"],
  [
    "'focus clock accept' brings the changes made here back to now, and takes",
    "the changes made here come back to now once this browser is connected and its clock right, and 'focus clock accept' takes",
  ],
  ["'focus clock accept'", "'focus clock accept' on a laptop"],
  ["this laptop's 'focus' is too old", "this page is too old"],
  ["Upgrade this laptop's 'focus'.", "Reload this page."],
  ["version of focus", "version of Lockstep"],
  ["Upgrade this one.", "Reload this page."],
  [" Move it away. After that “Join” gets the group's log again, and 'focus import FILE' an exported one.", " Reload this page."],
  [/The disk is full, so nothing was changed in the log at \/device\/[\w.\/-]*\w/g, "This browser stores nothing now, so nothing was changed"],
  ["Put the right file back. Without it, leave", "Leave"],
  [/\/device\/\S+ is gone/g, "This browser’s key is gone"],
  [/\/device\/\S+ holds another key/g, "This browser holds another key"],
  [/ at \/device\/[\w./-]*\w/g, ""],
  [/\b([Tt])his laptop\b/g, "$1his browser"],
];

/**
 * The parts of sentences that people have written, which stay as they are: texts in quotes that aren't commands of the
 * table above, and an entry's label, which follows its times and ends the sentence.
 */
const written = /((?<!\w)'(?!focus(?: doctor| clock accept| import FILE)?').*?'(?!\w)|\d\d:\d\d-\d\d:\d\d, .*)/s;

const withOwnWords = (text) => ownWords.reduce((rest, [from, to]) => rest.replaceAll(from, to), text);

/** Returns a sentence of the device with the words of a browser. */
export const ownSentence = (sentence) =>
  sentence.split(written).map((part, index) => (index % 2 === 0 ? withOwnWords(part) : part)).join("");

/** Replaces the sentences of a state or an answer, which are members of its object. */
function replaceSentences(value) {
  for (const name of ["did", "error", "notice", "sharing"]) {
    if (typeof value?.[name] === "string") value[name] = ownSentence(value[name]);
  }
  if (Array.isArray(value?.troubles)) value.troubles = value.troubles.map(ownSentence);
  return value;
}

/** Parses a state of the device, and replaces its sentences. */
export const parseState = (json) => replaceSentences(JSON.parse(json));

/** Returns the body of an answer with its sentences replaced; the same bytes if it isn't JSON. */
export function ownBody(bytes) {
  try {
    return JSON.stringify(replaceSentences(JSON.parse(new TextDecoder().decode(bytes))));
  } catch {
    return bytes;
  }
}
