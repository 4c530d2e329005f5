// A worker that wakes the page: a page in the background has its own timers held back, and its title would stand still.
let timer;
onmessage = ({ data: milliseconds }) => {
  clearTimeout(timer);
  if (milliseconds !== null) timer = setTimeout(() => postMessage(null), milliseconds);
};
