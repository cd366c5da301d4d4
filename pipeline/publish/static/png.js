/* The browser draws the PNG of a figure when it is asked for, of the picture that is shown: as wide as a kit's. */
"use strict";
const WIDTH = 1400;

function download(event, figure, name) {
  event.preventDefault();
  const shown = [...figure.querySelectorAll("img")].find((image) => image.offsetParent !== null);
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = Math.round((WIDTH * shown.naturalHeight) / shown.naturalWidth);
  canvas.getContext("2d").drawImage(shown, 0, 0, canvas.width, canvas.height);
  const file = document.createElement("a");
  file.href = canvas.toDataURL("image/png");
  file.download = name + (shown.classList.contains("only-dark") ? "-dark.png" : ".png");
  file.click();
}

for (const links of document.querySelectorAll(".lab-figure .lab-downloads")) {
  const svg = links.querySelector('a[href$=".svg"]');
  const name = svg.getAttribute("href").match(/([^/]+)\.svg$/)[1];
  const link = document.createElement("a");
  link.href = "#";
  link.textContent = "PNG";
  link.addEventListener("click", (event) => download(event, links.closest(".lab-figure"), name));
  svg.after(" · ", link);
}
