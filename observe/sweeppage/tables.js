// Tables: means, the map of mixes by policy, and all runs.

// sortable makes a table whose rows come in the order of the heading that was
// pressed. Columns have name, value(row), cell(row) and text; state keeps the
// order over redrawing.
const sortable = (columns, rows, state, redraw) => {
  const head = make("tr", {}, ...columns.map((c, k) => {
    const order = state.column === k ? (state.down ? "descending" : "ascending") : null;
    return make("th", { class: c.text ? "text" : null, "aria-sort": order, scope: "col", title: c.about },
      make("button", { type: "button", onclick: () => {
        state.down = state.column === k ? !state.down : !c.text;
        state.column = k;
        redraw(k);
      } }, c.name));
  }));
  return make("table", {}, make("thead", {}, head),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...columns.map((c) => make("td", { class: c.text ? "text" : null }, c.cell(row)))))));
};

const ordered = (rows, columns, state) => {
  if (state.column == null || !columns[state.column]) return rows;
  const value = columns[state.column].value, sign = state.down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = value(a), y = value(b);
    if (x == null || y == null) return (x == null) - (y == null); // what is not there comes last
    return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
  });
};

// refocus has the keyboard stay at a heading that was pressed, though the table is
// another.
const refocus = (place, k) => {
  if (k != null) place.querySelectorAll("th button")[k]?.focus();
};

const meansOrder = {};

const drawMeans = (columns, pressed) => {
  const place = $("means");
  if (!columns.length) return place.replaceChildren(without(nothing()));
  const shown = metricsShown(), lost = Object.fromEntries(shown.map((x) => [x.m, starved(columns, x.m)]));
  const heads = [
    { name: "policy", text: true, value: (c) => c.policy, cell: (c) => c.policy },
    { name: "GPU", text: true, value: (c) => c.gpu, cell: (c) => c.gpu },
    { name: "mixes", value: (c) => new Set(c.points.map((i) => data.mix[i])).size },
    { name: "runs", value: (c) => c.points.length },
    ...shown.map((x) => ({ name: x.name, about: x.about, value: (c) => mean(fed(c.points, lost[x.m]).map((i) => value(x.m, i))) })),
  ];
  heads.slice(2, 4).forEach((h) => (h.cell = (c) => h.value(c).toLocaleString("en")));
  shown.forEach((x, k) => {
    const h = heads[4 + k];
    h.cell = (c) => {
      const n = fed(c.points, lost[x.m]).length;
      return figure(h.value(c)) + (n && n < c.points.length ? " (of " + n + ")" : "");
    };
  });
  if (data.metric[overGoal].some((v) => v != null)) {
    heads.push({ name: "QoSreach", value: (c) => reach(c.points), cell: (c) => (reach(c.points) == null ? "–" : (100 * reach(c.points)).toFixed(1) + " %") });
  }
  place.replaceChildren(sortable(heads, ordered(columns, heads, meansOrder), meansOrder, (k) => drawMeans(columns, k)));
  const gone = missing(columns);
  if (gone.length) place.append(without("No runs with these choices of " + (gone.length > 1 ? "policies " : "policy ") + gone.join(", ") + "."));
  refocus(place, pressed);
};

const blend = (stops, t) => {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2);
  const rgb = (s) => [1, 3, 5].map((from) => parseInt(s.slice(from, from + 2), 16));
  const a = rgb(stops[k]), b = rgb(stops[k + 1]);
  return a.map((v, c) => Math.round(v + (b[c] - v) * (at - k)));
};
// readable is black or white, whichever shows on a colour.
const readable = ([r, g, b]) => (0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#1d2430" : "#ffffff");

// breakable is a name of a policy or a GPU that may go on in another line.
const breakable = (name) => name.split(/(?<=[,:=?&])/).flatMap((part, k) => (k ? [make("wbr"), part] : [part]));

const heat = { rows: 100, at: null };

// compare gives, of a column and a mix, the mean of a metric, or its change over
// the baseline in percent.
const cellsOf = (columns, m, change) => {
  const sums = columns.map((c) => {
    const byMix = new Map();
    for (const i of c.points) {
      if (!byMix.has(data.mix[i])) byMix.set(data.mix[i], []);
      byMix.get(data.mix[i]).push(i);
    }
    return byMix;
  });
  const values = sums.map((byMix) => {
    const out = new Map();
    for (const [mix, list] of byMix) out.set(mix, { value: mean(list.map((i) => value(m, i))), points: list });
    return out;
  });
  if (!change) return values;
  return values.map((byMix) => {
    const out = new Map();
    for (const [mix, cell] of byMix) {
      const base = mean([...new Set(cell.points.flatMap(basesOf))].map((i) => value(m, i)));
      out.set(mix, { points: cell.points, value: base && cell.value != null ? 100 * (cell.value / base - 1) : null });
    }
    return out;
  });
};

const drawHeat = (columns) => {
  const place = $("heat"), m = +$("heat-metric").value || 0, metric = data.metrics[m], change = $("heat-change").checked;
  $("heat-more").replaceChildren();
  $("heat-legend").replaceChildren();
  $("heat-about").textContent = metric.about + (change ? " Change over " + (nameOfBase() || "the baseline") + whereBase() + "." : "") +
    " A dash is what is not defined, a hatched cell a run that is not there. Press a cell for its run; arrow keys move between cells.";
  if (!columns.length) return place.replaceChildren(without(nothing()));
  const cells = cellsOf(columns, m, change);
  const all = cells.flatMap((byMix) => [...byMix.values()].map((c) => c.value)).filter((v) => v != null);
  let mixes = [...new Set(columns.flatMap((c) => c.points.map((i) => data.mix[i])))];
  mixes.sort((a, b) => className(a).localeCompare(className(b)) || data.mixes[a].localeCompare(data.mixes[b]));
  if ($("heat-order").value === "first") {
    const first = (mix) => cells[0].get(mix)?.value ?? -Infinity;
    mixes.sort((a, b) => first(b) - first(a));
  }
  const low = Math.min(...all), high = Math.max(...all), most = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const stops = change ? data.changes : data.shades, flipped = metric.better === "lower";
  const colour = (v) => {
    let t = change ? 0.5 + v / (2 * most) : high > low ? (v - low) / (high - low) : 0.5;
    return blend(stops, flipped ? 1 - t : t);
  };
  if (all.length) {
    const text = (v) => (change ? percent(v) : figure(v, 2));
    const ends = change ? [-most, most] : [low, high];
    if (flipped) ends.reverse();
    $("heat-legend").append("worse " + text(ends[0]), make("i", { style: "background:linear-gradient(90deg," + stops.join(",") + ")" }), text(ends[1]) + " better");
  }
  const shown = mixes.slice(0, heat.rows);
  const table = make("table", {},
    make("thead", {}, make("tr", {}, make("th", { class: "text", scope: "col" }, "mix"), make("th", { class: "class", scope: "col" }, "class"),
      ...columns.map((c) => make("th", { scope: "col" }, ...breakable(c.name))))),
    make("tbody", {}, ...shown.map((mix) => make("tr", {}, make("th", { scope: "row" }, data.mixes[mix]), make("td", { class: "class" }, className(mix)),
      ...columns.map((c, k) => {
        const cell = cells[k].get(mix);
        if (!cell) return make("td", { class: "none", title: "no run of " + data.mixes[mix] + " under " + c.name }, "");
        const back = cell.value == null ? null : colour(cell.value);
        const td = make("td", { tabindex: "-1", role: "button", "data-point": cell.points[0],
          "aria-label": data.mixes[mix] + " under " + c.name + ": " + (change ? percent(cell.value) : figure(cell.value)) },
          change ? (cell.value == null ? "–" : cell.value.toFixed(1)) : figure(cell.value, 2));
        if (back) {
          td.style.background = "rgb(" + back.join(",") + ")";
          td.style.color = readable(back);
        }
        return td;
      })))));
  const first = table.querySelector("td[data-point]");
  if (first) first.tabIndex = 0;
  place.replaceChildren(table);
  if (mixes.length > shown.length) {
    $("heat-more").append("The first " + shown.length + " of " + plural(mixes.length, "mix") + ".",
      make("button", { type: "button", onclick: () => { heat.rows = Infinity; drawHeat(columns); } }, "Show all"));
  }
};

// Arrow keys move from cell to cell of the map, of which one is reached by Tab.
$("heat").addEventListener("keydown", (e) => {
  const cell = e.target.closest("td[data-point]");
  if (!cell) return;
  if (e.key === "Enter" || e.key === " ") {
    e.preventDefault();
    return show(+cell.dataset.point, cell);
  }
  const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[e.key];
  if (!moves) return;
  e.preventDefault();
  const rows = [...cell.closest("tbody").rows];
  let row = rows.indexOf(cell.parentNode), at = cell.cellIndex, next = null;
  do {
    row += moves[0];
    at += moves[1];
    next = rows[row]?.cells[at];
  } while (next && !next.dataset.point);
  if (!next) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
$("heat").addEventListener("click", (e) => {
  const cell = e.target.closest("td[data-point]");
  if (cell) show(+cell.dataset.point, cell);
});

const runs = { order: {}, from: 0, size: 50, find: "" };

const drawRuns = (points, pressed) => {
  const place = $("runs");
  $("runs-more").replaceChildren();
  if (!points.length) return place.replaceChildren(without(nothing()));
  const words = runs.find.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (i) => (data.mixes[data.mix[i]] + " " + data.policies[data.policy[i]] + " " + data.gpus[data.gpu[i]]).toLowerCase();
  const kept = words.length ? points.filter((i) => words.every((w) => text(i).includes(w))) : points;
  if (!kept.length) return place.replaceChildren(without("No run that is shown has “" + runs.find + "” in its mix, policy or GPU."));
  const column = (name, of) => ({ name, text: true, value: of, cell: of });
  const number = (name, of, about) => ({ name, about, value: of, cell: (i) => figure(of(i)) });
  const heads = [
    { name: "mix", text: true, value: (i) => data.mixes[data.mix[i]],
      cell: (i) => make("button", { type: "button", onclick: (e) => show(i, e.currentTarget) }, data.mixes[data.mix[i]]) },
    column("class", (i) => className(data.mix[i])), column("policy", (i) => data.policies[data.policy[i]]), column("GPU", (i) => data.gpus[data.gpu[i]]),
    ...(data.settings.length > 1 ? [column("window", (i) => data.settings[data.setting[i]])] : []),
    ...metricsShown().map((x) => number(x.name, (i) => value(x.m, i), x.about)),
    ...data.tenant.map((_, k) => number("normalised IPC " + (k + 1), (i) => normal(k, i), "of the mix's application " + (k + 1))),
  ];
  const sorted = ordered(kept, heads, runs.order);
  runs.from = Math.min(runs.from, Math.floor((sorted.length - 1) / runs.size) * runs.size);
  const to = Math.min(runs.from + runs.size, sorted.length);
  place.replaceChildren(sortable(heads, sorted.slice(runs.from, to), runs.order, (k) => { runs.from = 0; drawRuns(points, k); }));
  refocus(place, pressed);
  const turn = (by) => () => { runs.from += by; drawRuns(points); };
  $("runs-more").append(
    make("button", { type: "button", disabled: runs.from === 0, onclick: turn(-runs.size) }, "Previous"),
    make("button", { type: "button", disabled: to === sorted.length, onclick: turn(runs.size) }, "Next"),
    (runs.from + 1).toLocaleString("en") + " to " + to.toLocaleString("en") + " of " + plural(sorted.length, "run"));
};

// show opens the panel on a run; from is what the keyboard goes back to.
let back = null;
const show = (i, from) => {
  back = from || document.activeElement;
  const panel = $("chosen"), text = command(i);
  const item = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value));
  const copy = make("button", { type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(panel.querySelector("pre"));
      copy.textContent = "Selected: copy it now";
    }
  } }, "Copy the command");
  const names = data.apps[data.mix[i]].map((n) => data.names[n]);
  const page = data.pages[i];
  panel.replaceChildren(
    make("h2", {}, data.mixes[data.mix[i]] + " under " + data.policies[data.policy[i]] + " on " + data.gpus[data.gpu[i]]),
    make("button", { type: "button", class: "close", onclick: hide }, "Close"),
    make("dl", {}, item("class", className(data.mix[i])), ...(data.settings[data.setting[i]] ? [item("window", data.settings[data.setting[i]])] : []),
      ...data.metrics.map((x, m) => item(x.name, figure(value(m, i)))),
      ...names.map((name, k) => item("normalised IPC of " + name, figure(normal(k, i))))),
    make("pre", { tabindex: "0" }, text),
    make("div", { class: "controls" }, copy, page ? make("a", { href: page }, "The run's page") : "There is no page of this run: the command makes one with --html FILE."));
  panel.hidden = false;
  panel.querySelector(".close").focus({ preventScroll: true });
};
const hide = () => {
  $("chosen").hidden = true;
  if (back?.isConnected) back.focus({ preventScroll: true });
};
addEventListener("keydown", (e) => { if (e.key === "Escape" && !$("chosen").hidden) hide(); });
