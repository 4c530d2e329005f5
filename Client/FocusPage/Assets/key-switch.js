// Whether keys without Ctrl or Alt press: whoever speaks to the computer may want them off.
import { recall, remember } from "./memory.js";

export const areKeysOn = () => recall("keys") !== "off";

export const switchKeys = (isOn) => remember("keys", isOn ? null : "off");
