import assert from "node:assert/strict";
import { test } from "node:test";
import { ownBody, ownSentence, parseState } from "../../Client/FocusWeb/Assets/sentences.js";

test("a browser's sentences name no laptop, file or command that it doesn't have", () => {
  const sentences = {
    "This laptop is in no group. “Share from this laptop” makes one. “Join” lets it into another laptop's.":
      "This browser is in no group. “Join” lets it into another laptop's.",
    "The server and this laptop speak different versions of the protocol. Upgrade this laptop's 'focus'.":
      "The server and this browser speak different versions of the protocol. Reload this page.",
    "This laptop's log or key has a problem, 'focus doctor' says which.": "This browser's log or key has a problem.",
    "The disk is full, so nothing was changed in the log at /device/data/log.db.":
      "This browser stores nothing now, so nothing was changed.",
    "The log at /device/log.db can't be used: a fault.": "The log can't be used: a fault.",
    "/device/identity.pem is gone: this laptop can't prove who it is. Put the right file back. Without it, leave the group.":
      "This browser’s key is gone: this browser can't prove who it is. Leave the group.",
  };
  for (const [laptop, browser] of Object.entries(sentences)) assert.equal(ownSentence(laptop), browser);
});

test("a browser's own changes that lie ahead need no command, and others' need a laptop's", () => {
  const start = "3 changes lie up to 2 days in the future, and count once that time has come. If this laptop's clock is behind, set it. If a clock was ahead, ";
  const sentences = {
    "'focus clock accept' brings them back to now.":
      "they come back to now once this browser is connected and its clock right.",
    "'focus clock accept' takes them back on all laptops.":
      "'focus clock accept' on a laptop takes them back on all laptops.",
    "'focus clock accept' brings the changes made here back to now, and takes the others back.":
      "the changes made here come back to now once this browser is connected and its clock right, and 'focus clock accept' on a laptop takes the others back.",
  };
  for (const [laptop, browser] of Object.entries(sentences)) {
    assert.equal(ownSentence(start + laptop), start.replace("this laptop", "this browser") + browser);
  }
});

test("texts that people have written stay as they are in sentences", () => {
  const sentences = {
    "This laptop took back the label 'Clean this laptop's fan': the name 'focus on this laptop' was not applied.":
      "This browser took back the label 'Clean this laptop's fan': the name 'focus on this laptop' was not applied.",
    "It counts from now on: not before the 'done' pressed on this laptop.":
      "It counts from now on: not before the 'done' pressed on this browser.",
    "There is no profile 'this laptop'. This laptop's 'focus' is older, 'focus doctor' says which.":
      "There is no profile 'this laptop'. This browser's 'focus' is older.",
    "The history has an entry of these times already: Mon, 09:00-09:25, work, Fix this laptop's 'f' key.":
      "The history has an entry of these times already: Mon, 09:00-09:25, work, Fix this laptop's 'f' key.",
  };
  for (const [laptop, browser] of Object.entries(sentences)) assert.equal(ownSentence(laptop), browser);
});

test("only the sentences of states and answers are replaced", () => {
  const label = "this laptop";
  const others = { label, profileTexts: [{ name: label, error: label }], notice: null };
  const state = { ...others, sharing: "offline: this laptop was shut out", troubles: ["This laptop was shut out."] };
  assert.deepEqual(parseState(JSON.stringify(state)), {
    ...others, sharing: "offline: this browser was shut out", troubles: ["This browser was shut out."],
  });
  const bytes = new TextEncoder().encode("{\"error\":\"This laptop is in that group already.\"}");
  assert.equal(ownBody(bytes), "{\"error\":\"This browser is in that group already.\"}");
  const other = new Uint8Array([1]);
  assert.equal(ownBody(other), other);
});
