// The title and the icon of the browser's tab. They show the time left, also while another tab is in front.
import { find } from "./dom.js";
import { clockAndStatus } from "./words.js";

const size = 64;
const colours = { red: "#e44f72", orange: "#d9621e", violet: "#8a63d2", break: "#52a57b" };
let drawn = "";

/** Returns the tab's title. */
export function titleOf(state, clock) {
  const label = state.label === "" ? "" : ` · ${state.label}`;
  return state.status === "stopped" ? "Lockstep" : `${clockAndStatus(state, clock)}${label}`;
}

/**
 * Draws the icon if its look has changed: a ring with the minutes left in it, or the seconds in the last
 * minute, or the whole minutes of overtime.
 */
export function drawIcon(state, remaining, left) {
  const number = state.status === "stopped" ? "" : numberOf(remaining);
  const share = Math.round(left * 40) / 40;
  const colour = colours[state.theme === "work" ? state.laptopSettings.accent : "break"];
  const wanted = [colour, state.status, number, share].join(" ");
  if (wanted === drawn) return;
  drawn = wanted;
  const icon = find("icon");
  icon.type = "image/png";
  icon.href = picture(colour, state.isRunning, number, share);
}

function numberOf(remaining) {
  if (remaining < 0) return `+${Math.floor(-remaining / 60_000)}`;
  const seconds = Math.ceil(remaining / 1000);
  return String(seconds > 60 ? Math.ceil(seconds / 60) : seconds);
}

function picture(colour, isRunning, number, share) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d");
  const arc = (part, alpha) => {
    pen.globalAlpha = alpha;
    pen.beginPath();
    pen.arc(size / 2, size / 2, 27, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * part);
    pen.stroke();
  };
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = 9;
  arc(1, 0.25);
  arc(share, isRunning ? 1 : 0.6);
  pen.globalAlpha = 1;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = `bold ${number.length > 2 ? 22 : 32}px sans-serif`;
  pen.fillText(number, size / 2, size / 2 + 2);
  return canvas.toDataURL("image/png");
}
