// The points, what the reader has chosen of them, and what follows from that.

let data = JSON.parse(document.getElementById("data").textContent);

const $ = (id) => document.getElementById(id);

// make makes an element; text and children never become markup.
const make = (tag, attributes = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value != null) e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
};

// What can be chosen, and the column of the points that it is about.
const dimensions = [
  { key: "policy", title: "Policies", names: () => data.policies, of: (i) => data.policy[i] },
  { key: "gpu", title: "GPUs", names: () => data.gpus, of: (i) => data.gpu[i] },
  { key: "setting", title: "Windows and seeds", names: () => data.settings, of: (i) => data.setting[i] },
];
// chosen has the names that are chosen, and not their numbers, which other data
// may give anew; known has those that the reader has been offered.
const chosen = { policy: new Set(), gpu: new Set(), setting: new Set(), metric: new Set() };
const known = { policy: new Set(), gpu: new Set(), setting: new Set(), metric: new Set() };
let baseline = ""; // a policy

const count = () => (data.mix || []).length;
const overGoal = data.metrics.length - 1; // which metric has what became of goals

// mostColumns is how many columns, of a policy on a GPU, the page shows at first.
const mostColumns = 8;

// offer chooses, of what is new, what the page shows at first: the setting with the
// most runs, and the columns with the most mixes as long as that makes not too many.
const offer = () => {
  const counts = data.settings.map(() => 0), mixes = new Map();
  for (let i = 0; i < count(); i++) {
    counts[data.setting[i]]++;
    const key = data.policy[i] * data.gpus.length + data.gpu[i];
    if (!mixes.has(key)) mixes.set(key, new Set());
    mixes.get(key).add(data.mix[i]);
  }
  if (count() && !chosen.setting.size && !known.setting.size) chosen.setting.add(data.settings[counts.indexOf(Math.max(...counts))]);
  data.settings.forEach((name) => known.setting.add(name));
  const policyOf = (key) => data.policies[Math.floor(key / data.gpus.length)], gpuOf = (key) => data.gpus[key % data.gpus.length];
  const keys = [...mixes.keys()].sort((a, b) => mixes.get(b).size - mixes.get(a).size || a - b);
  for (const key of keys) {
    const policy = policyOf(key), gpu = gpuOf(key);
    if (known.policy.has(policy) && known.gpu.has(gpu)) continue;
    const would = keys.filter((k) => (chosen.policy.has(policyOf(k)) || policyOf(k) === policy) && (chosen.gpu.has(gpuOf(k)) || gpuOf(k) === gpu));
    if (would.length > mostColumns) continue;
    chosen.policy.add(policy);
    chosen.gpu.add(gpu);
  }
  data.policies.forEach((name) => known.policy.add(name));
  data.gpus.forEach((name) => known.gpu.add(name));
  for (const [m, metric] of data.metrics.entries()) {
    const defined = data.metric[m].some((v) => v != null);
    if (known.metric.has(metric.name) || (m === overGoal && !defined)) continue;
    known.metric.add(metric.name);
    chosen.metric.add(metric.name);
  }
  if (!data.policies.includes(baseline)) baseline = data.policies.find((name) => chosen.policy.has(name)) || "";
};

// visible are the numbers of the points that are shown.
const visible = () => {
  const is = dimensions.map((d) => d.names().map((name) => chosen[d.key].has(name)));
  const list = [];
  for (let i = 0; i < count(); i++) {
    if (dimensions.every((d, k) => is[k][d.of(i)])) list.push(i);
  }
  return list;
};

const metricsShown = () => data.metrics.map((metric, m) => ({ ...metric, m })).filter((x) => chosen.metric.has(x.name));

// Colours and marks stay with a column as long as it is shown.
const places = new Map();
const symbols = ["circle", "rect", "triangle", "diamond", "roundRect", "pin", "arrow"];

// columnsOf groups points by policy and GPU, in the order of the data.
const columnsOf = (points) => {
  const groups = new Map();
  for (const i of points) {
    const key = data.policy[i] * data.gpus.length + data.gpu[i];
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(i);
  }
  const several = new Set(points.map((i) => data.gpu[i])).size > 1;
  const columns = [...groups].sort((a, b) => a[0] - b[0]).map(([key, list]) => {
    const policy = data.policies[Math.floor(key / data.gpus.length)], gpu = data.gpus[key % data.gpus.length];
    return { id: policy + "\n" + gpu, policy, gpu, name: several ? policy + " on " + gpu : policy, points: list };
  });
  const ids = new Set(columns.map((c) => c.id));
  for (const id of places.keys()) if (!ids.has(id)) places.delete(id);
  for (const c of columns) {
    if (!places.has(c.id)) {
      const taken = new Set(places.values());
      let k = 0;
      while (taken.has(k)) k++;
      places.set(c.id, k);
    }
    const k = places.get(c.id);
    c.colour = data.colours[k % data.colours.length];
    c.symbol = symbols[k % symbols.length];
  }
  return columns;
};

const mean = (values) => {
  const defined = values.filter((v) => v != null);
  return defined.length ? defined.reduce((a, b) => a + b, 0) / defined.length : null;
};

// reach is the part of the points with a goal that reached all of theirs.
const reach = (points) => mean(points.map((i) => data.metric[overGoal][i]).filter((v) => v != null).map((v) => (v >= 1 ? 1 : 0)));

const className = (mix) => data.classes[data.classOf[mix]] || "no class";

const command = (i) => data.command[i].map((w) => data.words[w]).join(" ");

// figure is a number for people to read.
const figure = (v, digits = 3) => (v == null ? "–" : v.toFixed(digits));
const percent = (v) => (v == null ? "–" : (v > 0 ? "+" : "") + v.toFixed(1) + " %");

const plural = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : noun.endsWith("x") ? "es" : "s");

const without = (what) => make("p", { class: "empty" }, what);

// nothing says why nothing is shown.
const nothing = () => {
  if (count() === 0) return "No run of two or more applications is stored yet.";
  for (const d of dimensions) {
    if (!d.names().some((name) => chosen[d.key].has(name))) return "Nothing is chosen of: " + d.title.toLowerCase() + ".";
  }
  return "There are no runs of the chosen policies on the chosen GPUs, in the chosen windows and seeds.";
};

// missing are the chosen policies of which no run is shown.
const missing = (columns) => data.policies.filter((name) => chosen.policy.has(name) && !columns.some((c) => c.policy === name));
