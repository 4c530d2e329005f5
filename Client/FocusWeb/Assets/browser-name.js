// The browser's name, by which a group's other members know it until a person gives it another.

const browsers = [
  [/\bEdg(?:A|iOS)?\//, "Edge"], [/\bOP[RT]\//, "Opera"], [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"], [/\b(?:Headless)?Chrome\/|\bCriOS\//, "Chrome"], [/\bSafari\//, "Safari"],
];
const systems = [
  [/\biPhone\b/, "an iPhone"], [/\biPad\b/, "an iPad"], [/\bAndroid\b/, "Android"], [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"], [/\bMac OS X\b/, "a Mac"], [/\bLinux\b/, "Linux"],
];

/** Returns a name such as "Firefox on Linux" for a navigator. */
export function browserName({ userAgent, maxTouchPoints = 0 }) {
  const found = (table) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = found(browsers) ?? "A browser";
  const system = found(systems);
  if (system === undefined) return browser;
  // Safari on an iPad names a Mac, which has no touch screen.
  return `${browser} on ${system === "a Mac" && maxTouchPoints > 1 ? "an iPad" : system}`;
}
