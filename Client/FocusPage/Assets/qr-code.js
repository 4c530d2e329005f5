// A QR code as a picture.
import { draw } from "./dom.js";

/** The light modules around a code that readers need. */
const margin = 4;

/**
 * Draws a code. `rows` are its rows of modules, as texts in which "1" is dark. It is black on white with each theme,
 * because some readers know no others.
 */
export function drawCode(rows, words) {
  const side = rows.length + 2 * margin;
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + margin} ${y + margin}h1v1h-1z` : "")));
  return draw(
    "svg", { viewBox: `0 0 ${side} ${side}`, class: "qr-code", role: "img", "aria-label": words, "shape-rendering": "crispEdges" },
    draw("path", { d: `M0 0h${side}v${side}h-${side}z`, fill: "white" }),
    draw("path", { d: dark.join(""), fill: "black" }),
  );
}
