
"use strict";
// What the run's folder says arrives as text and stays text: names and programs are somebody's input, never markup.
const STATES = { waiting: "waiting", running: "running", interrupted: "interrupted", finished: "finished", unreadable: "cannot be read" };
const SOURCES = { network: "network", mutant: "mutants", immigrant: "random immigrants", random: "random programs", library: "known algorithms" };
const byId = name => document.getElementById(name);
const number = (value, digits = 0) => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "\u2212");
const score = value => value === null ? "none" : number(value, 4);
const percent = (part, whole) => whole ? `${number(100 * part / whole)} %` : "0 %";
let state = null, arrived = 0;

function large(value) {
  for (const [size, word] of [[1e9, "billion"], [1e6, "million"]]) if (value >= size) return `${number(value / size, value < 100 * size ? 2 : 1)} ${word}`;
  return number(value);
}

function lasting(seconds) {
  if (seconds < 90) return `${number(seconds)} s`;
  return seconds < 5400 ? `${number(seconds / 60)} min` : `${number(seconds / 3600, 1)} h`;
}

function made(name, attributes = {}, ...inside) {
  const element = "svg g line path rect circle text".split(" ").includes(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

function say(name, words) {
  if (byId(name).textContent !== words) byId(name).textContent = words;
}

function facts(name, values) {
  byId(name).replaceChildren(...Object.entries(values).filter(([, value]) => value !== null)
    .map(([key, value]) => made("div", {}, made("dt", {}, key), made("dd", {}, value))));
}

function show() {
  document.body.className = state.state;
  byId("state").className = `state ${state.state}`;
  say("state", STATES[state.state] ?? state.state);
  say("run", state.run);
  message(state.state === "unreadable" ? state.error
    : state.state === "interrupted" ? `No process is at work on this run; metasmith resume ${state.run} goes on.` : "");
  const known = state.ledger !== undefined;
  for (const section of document.querySelectorAll("section")) section.hidden = !known;
  if (!known) return;
  const done = state.state === "finished";
  const heading = done ? `An algorithm for ${state.task}` : `Designing an algorithm for ${state.task}`;
  say("heading", heading);
  document.title = done ? heading : `${percent(state.progress, 1)}: ${heading}`;
  byId("scores").hidden = !state.curve.length;
  byId("sources").hidden = !state.sources.length;
  byId("race").hidden = !state.race;
  byId("best").hidden = !state.best;
  chart();
  sources();
  if (state.race) race();
  if (state.best) best(done);
  facts("workers", {
    "runs done": number(state.ledger.runs),
    "more from the cache": number(state.ledger.cached),
    "runs at once, on average": state.at_once === null ? null : number(state.at_once, 1),
    "lost and done again": state.ledger.lost === undefined ? null : number(state.ledger.lost),
    "evaluations a second": state.rate === null ? null : large(Math.round(state.rate)),
    "time of the designer": state.seconds ? percent(state.ledger.proposing_seconds, state.seconds) : null,
  });
  tick();
}

function message(words, good = false) {
  say("message", words);
  byId("message").hidden = !words;
  byId("message").classList.toggle("good", good);
}

function tick() {
  // Between two steps only the clock moves.
  if (!state?.ledger) return;
  const running = state.state === "running", since = (state.age ?? 0) + (performance.now() - arrived) / 1000;
  const done = state.state === "finished", last = state.curve.at(-1);
  byId("done").style.width = `${100 * state.progress}%`;
  byId("bar").setAttribute("aria-valuenow", Math.round(100 * state.progress));
  const left = state.left === null ? null : running ? Math.max(0, state.left - since) : state.left;
  const step = done ? "" : state.race ? `round ${state.race.round} of ${state.race.rounds} of the final race done`
    : state.batches ? `${number(state.batches)} ${state.batches === 1 ? "batch" : "batches"} done` : "measuring the first programs";
  say("spent", [`${large(state.ledger.evaluations)} of ${large(state.budget)} evaluations spent (${percent(state.ledger.evaluations, state.budget)})`, step]
    .filter(Boolean).join(" \u00b7 "));
  facts("facts", {
    [done ? "score in the final race" : state.race ? "best score in the race" : "best score so far"]: state.best ? score(state.best.score) : "none yet",
    "mean of the last batch": last ? score(last.mean) : null,
    [done ? "time it took" : "time so far"]: lasting(state.seconds + (running ? since : 0)),
    "time left, about": done ? null : left === null ? "not known yet" : lasting(left),
    "last step": running ? `${lasting(since)} ago` : null,
    "evaluations of a run in use": number(state.evaluations),
  });
}

function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(each => each * power >= rough), all = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) all.push(k * step);
  return all;
}

function axisNumber(value) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (Math.abs(value) >= size) return `${+(value / size).toPrecision(6)}${letter}`;
  return String(+value.toPrecision(6)).replace("-", "\u2212");
}

function chart() {
  const points = state.curve.filter(each => each.best !== null && each.mean !== null), width = byId("chart").clientWidth;
  if (!points.length || !width) return;
  const height = Math.max(230, Math.min(340, width * .42)), left = 52, right = 64, top = 14, bottom = 44;
  const bests = points.map(each => each.best), means = points.map(each => each.mean);
  let high = Math.max(...bests, ...means), low = Math.max(Math.min(...bests, ...means), Math.min(...bests) - 1); // a mean far below is cut off
  if (high - low < 1e-3) { high += 5e-4; low -= 5e-4; }
  const margin = (high - low) * .06;
  high += margin; low -= margin;
  const x = value => left + (width - left - right) * Math.min(1, value / state.budget);
  const y = value => height - bottom - (height - top - bottom) * (Math.max(low, value) - low) / (high - low);
  const last = points.at(-1), svg = made("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `Best score ${score(last.best)}, mean of the last batch ${score(last.mean)}, after ${large(last.evaluations)} evaluations` });
  if (state.race) {
    const from = x(last.evaluations), to = x(Math.max(state.ledger.evaluations, last.evaluations));
    svg.append(made("rect", { class: "racing", x: from, y: top, width: Math.max(0, to - from), height: height - top - bottom }));
    if (to - from > 70) svg.append(made("text", { x: (from + to) / 2, y: height - bottom - 8, "text-anchor": "middle" }, "final race"));
  }
  for (const value of ticks(low, high, 5)) svg.append(
    made("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
    made("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, axisNumber(value)));
  for (const value of ticks(0, state.budget, Math.max(2, Math.floor(width / 130)))) svg.append(
    made("line", { class: "axis", x1: x(value), x2: x(value), y1: height - bottom, y2: height - bottom + 5 }),
    made("text", { x: x(value), y: height - bottom + 18, "text-anchor": "middle" }, axisNumber(value)));
  svg.append(made("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    made("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "evaluations spent"),
    made("text", { x: 0, y: 0, transform: `translate(11 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, "score"));
  const apart = Math.max(0, 14 - Math.abs(y(last.best) - y(last.mean))) / 2 * (last.best >= last.mean ? 1 : -1); // labels beside each other
  for (const [name, shift] of [["mean", apart], ["best", -apart]]) svg.append(
    made("path", { class: `line ${name}`, d: "M" + points.map(each => `${x(each.evaluations).toFixed(1)},${y(each[name]).toFixed(1)}`).join("L") }),
    made("circle", { class: `end ${name}`, cx: x(last.evaluations), cy: y(last[name]), r: 3.5 }),
    made("text", { class: name, x: x(last.evaluations) + 8, y: y(last[name]) + 4 + shift }, name));
  byId("chart").replaceChildren(svg);
}

function sources() {
  const total = name => state.sources.reduce((sum, each) => sum + each[name], 0);
  say("few", number(total("among_best")));
  say("whose", state.sources.some(each => each.source === "network") ? "the network wrote" : "was proposed first");
  byId("shares").replaceChildren(...state.sources.map(each => made("tr", {}, made("th", { scope: "row" }, SOURCES[each.source] ?? each.source),
    ...["proposed", "went_on", "among_best"].map(name => {
      const share = made("span");
      share.style.width = percent(each[name], total(name)).replace(" ", "");
      return made("td", {}, percent(each[name], total(name)), made("span", { class: "count" }, ` (${number(each[name])})`), made("span", { class: "share" }, share));
    }))));
}

function race() {
  const { round, rounds, standing } = state.race, on = round < rounds;
  say("round", `After round ${round} of ${rounds}, with new random numbers and whole runs: who ran in it. ` +
    (on ? "The better half goes on." : "The first has won: it is the design."));
  byId("standing").replaceChildren(...standing.map((each, place) => made("tr", place ? {} : { class: "design" },
    made("td", { class: "number" }, number(place + 1)), made("td", { class: "number" }, score(each.score)), made("td", { class: "number" }, number(each.runs)),
    made("td", {}, SOURCES[each.source] ?? each.source), made("td", {}, made("code", {}, each.program)))));
}

function best(done) {
  say("best-heading", done ? "The design" : "The best program so far");
  const { source, batch } = state.best, who = { network: "the network", mutant: "a mutation", immigrant: "a random immigrant", random: "chance" }[source] ?? source;
  say("origin", `Score ${score(state.best.score)}` + (source === null ? "." : `, first proposed by ${who}${batch === null ? " for the final race" : ` in batch ${batch}`}.`));
  say("pseudocode", state.best.pseudocode);
  say("program", state.best.program);
}

const events = new EventSource("events");
events.onmessage = event => {
  state = JSON.parse(event.data);
  arrived = performance.now();
  show();
  if (state.state === "finished") events.close(); // nothing will change any more
};
events.onerror = () => {
  if (events.readyState === EventSource.CLOSED && state?.state === "finished") return;
  byId("state").className = "state lost";
  say("state", "no answer");
  message(`No answer from metasmith since ${new Date().toLocaleTimeString()}: what is shown is the last that was seen. ` +
    "If it has ended, metasmith watch RUN shows the run again.");
};
setInterval(() => { if (state?.state === "running" && events.readyState === EventSource.OPEN) tick(); }, 1000);
new ResizeObserver(() => { if (state?.ledger) chart(); }).observe(byId("chart"));
