// A worker that wakes the page. Browsers delay the timers of a page in the background, and its title would
// stop.
let timer;
onmessage = ({ data: milliseconds }) => {
  clearTimeout(timer);
  if (milliseconds !== null) timer = setTimeout(() => postMessage(null), milliseconds);
};
