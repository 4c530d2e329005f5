// The worker in which the device runs. Messages that come before it has begun wait until then.
import { Device } from "./device.js";

const device = new Device((message) => postMessage(message));
const messages = ["request", "follow", "unfollow", "resumed"];
let begun = null;

onmessage = ({ data }) => {
  if (data.kind === "begin") begun = device.begin(data);
  else if (messages.includes(data.kind)) begun?.then(() => device[data.kind](data));
};
