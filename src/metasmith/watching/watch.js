
"use strict";
// What the run's folder says arrives as text and stays text: names and programs are somebody's input, never markup.

const STATES = { unreadable: "cannot be read" }; // the others say what they mean
const SOURCES = {
  network: ["network", "by the network"], mutant: ["mutants", "as a mutant"],
  immigrant: ["random immigrants", "as a random immigrant"], random: ["random programs", "at random"],
  library: ["known algorithms", "as a known algorithm"],
}; // how many of a kind are called, and how one came about
const MARGIN = { left: 52, right: 46, top: 14, bottom: 44 };
const byId = name => document.getElementById(name);
let state = null;
let arrived = 0;

const number = (value, digits = 0) => value
  .toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "\u2212");
const score = value => value === null ? "none" : number(value, 4);
const percent = (part, whole) => `${number(whole ? 100 * part / whole : 0)}\u00a0%`;
const source = name => SOURCES[name]?.[0] ?? name;

function large(value) {
  for (const [size, word] of [[1e9, "billion"], [1e6, "million"]])
    if (value >= size) return `${number(value / size, value < 100 * size ? 2 : 1)} ${word}`;
  return number(value);
}

function short(value) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (Math.abs(value) >= size) return `${+(value / size).toPrecision(6)}${letter}`;
  return String(+value.toPrecision(6)).replace("-", "\u2212");
}

function lasting(seconds) {
  if (seconds < 90) return `${number(seconds)} s`;
  return seconds < 5400 ? `${number(seconds / 60)} min` : `${number(seconds / 3600, 1)} h`;
}

function filled(element, attributes, inside) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

const made = (name, attributes = {}, ...inside) => filled(document.createElement(name), attributes, inside);
const drawn = (name, attributes = {}, ...inside) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, inside);

function say(name, words) {
  if (byId(name).textContent !== words) byId(name).textContent = words;
}

function message(words) {
  say("message", words);
  byId("message").hidden = !words;
}

function facts(name, values) {
  byId(name).replaceChildren(...Object.entries(values).filter(([, value]) => value !== null)
    .map(([key, value]) => made("div", {}, made("dt", {}, key), made("dd", {}, value))));
}

function show() {
  document.body.className = state.state;
  byId("state").className = `state ${state.state}`;
  say("state", STATES[state.state] ?? state.state);
  const begun = state.ledger !== undefined, done = state.state === "finished";
  message(state.state === "interrupted" ? `No process is at work on this run; metasmith resume ${state.run} goes on.`
    : state.error ?? (begun ? state.damage.join(" ") : "Nothing has been written to this folder yet."));
  byId("scores").hidden = !begun || !state.curve.length;
  byId("sources").hidden = !begun || !state.sources.length;
  byId("race").hidden = !begun || !state.race;
  byId("best").hidden = !begun || !state.best;
  byId("work").hidden = !begun;
  if (!begun) {
    say("run", state.run);
    return;
  }
  const heading = `${done ? "An" : "Designing an"} algorithm for ${state.task}`;
  say("run", `${state.run} \u00b7 for runs of ${number(state.evaluations)} evaluations \u00b7 seed ${state.seed}`);
  say("heading", heading);
  document.title = done ? heading : `${percent(state.progress, 1)} \u00b7 ${heading}`;
  byId("done").style.width = `${100 * state.progress}%`;
  byId("bar").setAttribute("aria-valuenow", Math.round(100 * state.progress));
  say("spent", spent(done));
  glance();
  showScores();
  showSources();
  if (state.race) showRace();
  if (state.best) showBest(done);
  showWork();
}

function spent(done) {
  const { evaluations } = state.ledger;
  const amount = `${large(evaluations)} of ${large(state.spend)} evaluations spent`;
  const step = done ? "" : state.race ? `round ${state.race.round} of ${state.race.rounds} of the final race done`
    : state.batches ? `${number(state.batches)} ${state.batches === 1 ? "batch" : "batches"} done`
      : "the first programs are being measured";
  return [`${amount} (${percent(evaluations, state.spend)})`, step].filter(Boolean).join(" \u00b7 ");
}

function glance() {
  const running = state.state === "running", done = state.state === "finished", last = state.curve.at(-1);
  // Between two steps nothing is known but how long the next has taken.
  const since = running ? (state.age ?? 0) + (performance.now() - arrived) / 1000 : 0;
  const best = done ? "score in the final race" : state.race ? "best score in the final race" : "best score so far";
  const left = state.left === null ? null : state.left - since;
  facts("facts", {
    [best]: state.best ? score(state.best.score) : "none yet",
    "mean of the last batch": last ? score(last.mean) : null,
    [done ? "time it took" : "time so far"]: lasting(state.seconds + since),
    "time left, about": done ? null : left === null ? "not known yet" : left < 1 ? "soon done" : lasting(left),
    "last step": running ? `${lasting(since)} ago` : null,
  });
}

function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(each => each * power >= rough), all = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) all.push(k * step);
  return all;
}

function showScores() {
  const points = state.curve.filter(each => each.best !== null && each.mean !== null);
  const width = byId("chart").clientWidth, height = Math.max(230, Math.min(340, width * .42));
  if (!points.length || !width) return;
  const { left, right, top, bottom } = MARGIN, inner = width - left - right, foot = height - bottom;
  const last = points.at(-1), bests = points.map(each => each.best), means = points.map(each => each.mean);
  const high = Math.max(...bests, ...means);
  const low = Math.max(Math.min(...bests, ...means), Math.min(...bests) - 1); // means far below are cut off
  const room = Math.max(.06 * (high - low), 1e-3), from = low - room, to = high + room;
  const x = value => left + inner * Math.min(1, value / state.spend);
  const y = value => foot - (foot - top) * (Math.max(from, value) - from) / (to - from);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  svg.setAttribute("aria-label",
    `Best ${score(last.best)} and mean ${score(last.mean)} after ${large(last.evaluations)} evaluations`);
  if (state.race) {
    const start = x(last.evaluations), end = x(Math.max(state.ledger.evaluations, last.evaluations));
    svg.append(drawn("rect", { class: "racing", x: start, y: top, width: end - start, height: foot - top }));
    const words = { x: (start + end) / 2, y: foot - 8, "text-anchor": "middle" };
    if (end - start > 70) svg.append(drawn("text", words, "final race"));
  }
  for (const value of ticks(from, to, 5)) svg.append(
    drawn("line", { class: "grid", x1: left, x2: left + inner, y1: y(value), y2: y(value) }),
    drawn("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, short(value)));
  for (const value of ticks(0, state.spend, Math.max(4, Math.floor(width / 130)))) svg.append(
    drawn("line", { class: "axis", x1: x(value), x2: x(value), y1: foot, y2: foot + 5 }),
    drawn("text", { x: x(value), y: foot + 18, "text-anchor": "middle" }, short(value)));
  svg.append(
    drawn("line", { class: "axis", x1: left, x2: left + inner, y1: foot, y2: foot }),
    drawn("text", { x: left + inner / 2, y: height - 6, "text-anchor": "middle" }, "evaluations spent"),
    drawn("text", { transform: `translate(11 ${(top + foot) / 2}) rotate(-90)`, "text-anchor": "middle" }, "score"));
  const apart = Math.max(0, 14 - Math.abs(y(last.best) - y(last.mean))) / 2; // so that names do not meet
  const lift = last.best >= last.mean ? apart : -apart;
  for (const [name, shift] of [["mean", lift], ["best", -lift]]) {
    const way = points.map(each => `${x(each.evaluations).toFixed(1)},${y(each[name]).toFixed(1)}`);
    const [endX, endY] = [x(last.evaluations), y(last[name])];
    svg.append(
      drawn("path", { class: `line ${name}`, d: `M${way.join("L")}` }),
      drawn("circle", { class: `end ${name}`, cx: endX, cy: endY, r: 3.5 }),
      drawn("text", { class: name, x: endX + 8, y: endY + 4 + shift }, name));
  }
  byId("chart").replaceChildren(svg);
}

function showSources() {
  const total = name => state.sources.reduce((sum, each) => sum + each[name], 0);
  say("few", number(total("among_best")));
  say("whose", state.sources.some(each => each.source === "network") ? "the network wrote" : "was proposed");
  const share = (each, name) => {
    const bar = made("span"), amount = percent(each[name], total(name));
    bar.style.width = `${total(name) ? 100 * each[name] / total(name) : 0}%`;
    const count = made("span", { class: "count" }, `(${number(each[name])})`);
    return made("td", {}, `${amount} `, count, made("span", { class: "share" }, bar));
  };
  byId("shares").replaceChildren(...state.sources.map(each => made("tr", {},
    made("th", { scope: "row" }, source(each.source)),
    ...["proposed", "went_on", "among_best"].map(name => share(each, name)))));
}

function showRace() {
  const { round, rounds, standing } = state.race;
  const next = round < rounds ? "The better half goes on." : "The first has won: it is the design.";
  say("round", `After round ${round} of ${rounds}, in whole runs with new random numbers. ${next}`);
  const cell = (words, name = "") => made("td", name ? { class: name } : {}, words);
  byId("standing").replaceChildren(...standing.map((each, index) => made("tr", index ? {} : { class: "design" },
    cell(number(index + 1), "number"), cell(score(each.score), "number"), cell(number(each.runs), "number"),
    cell(source(each.source)), cell(made("code", {}, each.program)))));
}

function showBest(done) {
  const { program, pseudocode, batch } = state.best, way = SOURCES[state.best.source]?.[1] ?? `by ${state.best.source}`;
  say("best-heading", done ? "The design" : "The best program so far");
  const when = batch === null ? "for the final race" : `in batch ${number(batch)}`;
  say("origin", `Score ${score(state.best.score)}; first proposed ${way}, ${when}.`);
  say("pseudocode", pseudocode);
  say("program", program);
}

function showWork() {
  const { runs, cached, lost, proposing_seconds } = state.ledger;
  facts("workers", {
    "runs done": number(runs),
    "more from the cache": number(cached),
    "runs at once, on average": state.at_once === null ? null : number(state.at_once, 1),
    "lost and done again": lost === undefined ? null : number(lost),
    "evaluations a second": state.rate === null ? null : large(Math.round(state.rate)),
    "time that proposing took": state.seconds ? percent(proposing_seconds, state.seconds) : null,
  });
}

const events = new EventSource("events");
events.onmessage = event => {
  state = JSON.parse(event.data);
  arrived = performance.now();
  show();
  if (state.state === "finished") events.close(); // nothing will change any more
};
events.onerror = () => {
  const since = new Date().toLocaleTimeString();
  if (byId("state").textContent !== "no answer")
    message(`No answer from metasmith since ${since}; shown is what was last seen. 'metasmith watch' shows more.`);
  byId("state").className = "state lost";
  say("state", "no answer");
};
setInterval(() => { if (state?.state === "running" && events.readyState === EventSource.OPEN) glance(); }, 1000);
new ResizeObserver(() => { if (state?.ledger) showScores(); }).observe(byId("chart"));
