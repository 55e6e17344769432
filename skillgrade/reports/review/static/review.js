// Makes the review pages quick by keyboard. Everything also works without it, as plain forms and links.
"use strict";

for (const element of document.querySelectorAll(".scripted")) element.hidden = false;

const form = document.getElementById("review");
const score = document.getElementById("score");
const slider = document.getElementById("slider");
const comment = document.getElementById("comment");
const ticks = [...document.querySelectorAll('input[name="tick"]')];
const steps = [...document.querySelectorAll("[data-score]")];

function showScore() {
  const value = score.value === "" ? NaN : Number(score.value);
  form.classList.toggle("unscored", Number.isNaN(value));
  if (!Number.isNaN(value)) slider.value = String(value);
  slider.setAttribute("aria-valuetext", Number.isNaN(value) ? "no score yet" : String(value));
  for (const step of steps) {
    step.setAttribute("aria-pressed", String(Number(step.dataset.score) === value));
  }
}

function setScore(value) {
  score.value = String(value);
  showScore();
}

function shareOfTicks() {
  const share = ticks.filter((tick) => tick.checked).length / ticks.length;
  return Math.round(share * 10000) / 10000;
}

if (form) {
  score.addEventListener("input", showScore);
  slider.addEventListener("input", () => setScore(Number(slider.value)));
  for (const step of steps) step.addEventListener("click", () => setScore(Number(step.dataset.score)));
  for (const tick of ticks) tick.addEventListener("change", () => setScore(shareOfTicks()));
  comment.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    if (event.key === "Escape") comment.blur();
  });
  showScore();
}

function byKey(key) {
  return [...document.querySelectorAll("[data-key]")].find((element) => element.dataset.key === key);
}

function isTyping(target) {
  return target.matches('textarea, select, input:not([type="checkbox"]):not([type="range"])');
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (form && /^[0-9t]$/.test(event.key)) {
    setScore(event.key === "t" ? 1 : Number(event.key) / 10);
  } else if (form && event.key === "c") {
    comment.focus();
  } else if (form && event.key === "Enter" && !event.target.closest("a, button, summary")) {
    form.requestSubmit();
  } else {
    const target = byKey(event.key);
    if (!target || (event.key === "Enter" && event.target.closest("a, button, summary"))) return;
    if (target.matches("details")) target.open = !target.open;
    else target.click();
  }
  event.preventDefault();
});
