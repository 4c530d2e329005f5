// Whether keys without Ctrl or Alt act. A person who uses speech input may want to switch them off.
import { recall, remember } from "./memory.js";

export const areKeysOn = () => recall("keys") !== "off";

export const switchKeys = (isOn) => remember("keys", isOn ? null : "off");
