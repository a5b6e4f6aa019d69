// The controls, and drawing all anew when something is chosen or comes in.

const check = (set, name, text) => {
  const box = make("input", { type: "checkbox", onchange: () => {
    if (box.checked) set.add(name);
    else set.delete(name);
    draw();
  } });
  box.checked = set.has(name);
  return make("label", {}, box, text);
};

const choices = (title, set, names, show) => {
  const all = (on) => make("button", { type: "button", class: "small", "aria-label": title + ": " + (on ? "all" : "none"), onclick: () => {
    names.forEach((name) => (on ? set.add(name) : set.delete(name)));
    drawChoices();
    draw();
  } }, on ? "all" : "none");
  return make("fieldset", {}, make("legend", {}, title, " ", ...(names.length > 1 ? [all(true), all(false)] : [])),
    make("div", { class: "list" }, ...names.map((name) => check(set, name, show ? show(name) : name))));
};

const options = (select, list, value) => {
  select.replaceChildren(...list.map(([key, text]) => make("option", { value: key }, text)));
  select.value = value;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
};

// baselines are what figures can be compared with: each policy on the run's own GPU, and,
// if there are several, on one of them, and in one of several windows or builds.
const baselines = () => {
  const list = new Map(), add = (policy, gpu, setting, name) => list.set(JSON.stringify({ policy, gpu, setting }), name);
  for (const name of natural(data.policies)) add(name, "", "", name);
  for (let i = 0; i < count(); i++) {
    const policy = data.policies[data.policy[i]], gpu = data.gpus[data.gpu[i]], setting = data.settings[data.setting[i]];
    if (data.gpus.length > 1) add(policy, gpu, "", policy + " on " + gpu);
    if (data.settings.length > 1 && setting) add(policy, gpu, setting, policy + " on " + gpu + ", " + setting);
  }
  return [...list].sort((a, b) => a[1].localeCompare(b[1], "en", { numeric: true }));
};

const drawChoices = () => {
  const place = document.querySelector(".choices");
  const base = make("select", { id: "baseline", "aria-label": "Baseline", onchange: () => { baseline = JSON.parse(base.value); learn(); draw(); } });
  options(base, baselines(), JSON.stringify(baseline));
  const on = make("select", { id: "ground", "aria-label": "Isolated on", onchange: () => { ground = on.value; draw(); } });
  if (!data.grounds.includes(ground)) ground = "";
  options(on, [["", "each run's own GPU"], ...natural(data.grounds).map((name) => [name, name])], ground);
  place.replaceChildren(
    ...dimensions.filter((d) => d.key !== "setting" || d.names().length > 1).map((d) => choices(d.title, chosen[d.key], natural(d.names()), (name) => name || "as all others")),
    choices("Figures", chosen.metric, data.metrics.map((x) => x.name)),
    make("fieldset", {}, make("legend", {}, "Baseline"), base),
    ...(data.grounds.length > 1 ? [make("fieldset", {}, make("legend", {}, "Isolated on"), on)] : []));
  options($("heat-metric"), data.metrics.map((x, m) => [m, x.name]), $("heat-metric").value || "0");
};

let columns = [], points = [];

const draw = () => {
  points = visible();
  columns = columnsOf(points);
  $("count").textContent = plural(points.length, "run") + " of " + count().toLocaleString("en") + " shown.";
  const own = ground === "" && differ(points);
  $("grounds").hidden = !own;
  $("compared").textContent = baseline.policy === "" ? "" : "The baseline is " + nameOfBase() + whereBase() + ". At first the page takes " + plain.join(", ") + ", in this order, or else the policy with the most mixes.";
  drawMeans(columns);
  drawBars(columns);
  drawHeat(columns);
  drawDistributions(columns, points);
  drawScatter(columns, points);
  drawRuns(points);
};

$("heat-metric").addEventListener("change", () => drawHeat(columns));
$("heat-change").addEventListener("change", () => drawHeat(columns));
$("heat-order").addEventListener("change", () => drawHeat(columns));
$("find").addEventListener("input", (e) => { runs.find = e.target.value; runs.from = 0; drawRuns(points); });

offer();
drawChoices();
draw();
dark.addEventListener("change", () => {
  drawn.forEach((chart) => chart.dispose());
  drawn.clear();
  $("scatter-place").replaceChildren();
  draw();
});

// follow takes the data anew while runs come in. What the reader has chosen, and
// the panel, stay as they are.
const follow = async () => {
  let tag = "";
  for (;;) {
    await new Promise((done) => setTimeout(done, 2000));
    if (document.hidden) continue;
    try {
      const answer = await fetch(data.live, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      if (answer.status === 304) {
        $("live").textContent = "";
        continue;
      }
      if (!answer.ok) throw new Error(await answer.text());
      tag = answer.headers.get("ETag") || "";
      const fresh = await answer.json();
      $("live").textContent = "";
      if (fresh.mix?.length === data.mix?.length && Object.keys(fresh.pages).length === Object.keys(data.pages).length) continue;
      data = fresh;
      offer();
      drawChoices();
      draw();
    } catch (fault) {
      $("live").textContent = "No news: " + fault.message;
    }
  }
};
if (data.live) follow();
