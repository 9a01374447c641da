"use strict";
(() => {
  const { times, plot, charts } = JSON.parse(document.getElementById("curves").textContent);
  const film = document.querySelector("video");
  const first = times[0];
  const length = Math.max(times[times.length - 1] - first, 1e-9);
  const figures = [...document.querySelectorAll(".measure")].map((figure, number) => ({
    chart: charts[number],
    svg: figure.querySelector("svg"),
    curves: [...figure.querySelectorAll(".curve")],
    names: [...figure.querySelectorAll(".legend li")],
    cursor: figure.querySelector(".cursor"),
    dots: [...figure.querySelectorAll(".dot")],
    values: [...figure.querySelectorAll("output")],
  }));
  let hovered = null; // time under the pointer, while there is one

  const frameAt = (time) =>
    Math.min(Math.max(Math.round(((time - first) / length) * (times.length - 1)), 0), times.length - 1);

  function show(time) {
    const frame = frameAt(time);
    const x = plot.left + ((times[frame] - first) / length) * plot.wide;
    for (const { chart, cursor, dots, values } of figures) {
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      chart.values.forEach((line, skin) => {
        const value = line[frame];
        const y = value === null ? -9 : plot.top + (plot.high * (chart.high - value)) / (chart.high - chart.low);
        dots[skin].setAttribute("cx", value === null ? -9 : x);
        dots[skin].setAttribute("cy", y);
        values[skin].textContent = value === null ? "–" : value.toFixed(chart.decimals);
      });
    }
  }

  const now = () => (hovered !== null ? hovered : first + (film ? film.currentTime : 0));
  const update = () => show(now());

  for (const { svg, curves, dots, names } of figures) {
    const timeAt = (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      return first + Math.min(Math.max((x - plot.left) / plot.wide, 0), 1) * length;
    };
    svg.addEventListener("pointermove", (event) => { hovered = timeAt(event); update(); });
    svg.addEventListener("pointerleave", () => { hovered = null; update(); });
    names.forEach((name, skin) => {
      const light = (on) => () => {
        svg.classList.toggle("dim", on);
        curves[skin].classList.toggle("lit", on);
        dots[skin].classList.toggle("lit", on);
      };
      name.addEventListener("pointerenter", light(true));
      name.addEventListener("pointerleave", light(false));
    });
    svg.addEventListener("click", (event) => { if (film) film.currentTime = timeAt(event) - first; });
  }
  if (film) {
    const run = () => { update(); if (!film.paused && !film.ended) requestAnimationFrame(run); };
    for (const name of ["play", "seeked", "seeking", "loadeddata"]) film.addEventListener(name, run);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) film.play().catch(() => {}); // else it waits for a click
  }
  update();
})();
