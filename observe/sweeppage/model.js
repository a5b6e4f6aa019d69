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
// baseline is what figures are compared with: a policy, on a GPU and in a window, or "" for
// those of the run that is compared.
let baseline = { policy: "", gpu: "", setting: "" };
// ground is the GPU on which each application's IPC alone counts; "" for the GPU that the
// run has been normalised by.
let ground = "";

const count = () => (data.mix || []).length;
const overGoal = data.metrics.length - 1; // which metric has what became of goals

// natural has names in the order of readers: seed 2 before seed 10.
const natural = (names) => [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));

// baselines of papers, the plainest first.
const plain = ["fcfs", "even", "spart"];

// usualBase is the policy that the page compares with until the reader chooses one: of those
// shown, the plainest, or else the one with the most mixes, and of equals the first by name.
const usualBase = (mixesOf) => {
  const shown = natural(data.policies.filter((name) => chosen.policy.has(name)));
  return plain.find((name) => shown.includes(name)) || shown.sort((a, b) => mixesOf(b) - mixesOf(a))[0] || "";
};

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
    if (metric.name === "Total IPC") known.metric.add(metric.name); // for the reader to choose
    if (known.metric.has(metric.name) || (m === overGoal && !defined)) continue;
    known.metric.add(metric.name);
    chosen.metric.add(metric.name);
  }
  const gone = (name, list) => name !== "" && !list.includes(name);
  if (!data.policies.includes(baseline.policy) || gone(baseline.gpu, data.gpus) || gone(baseline.setting, data.settings)) {
    const mixesOf = (name) => new Set(keys.filter((key) => policyOf(key) === name).flatMap((key) => [...mixes.get(key)])).size;
    baseline = { policy: usualBase(mixesOf), gpu: "", setting: "" };
  }
  learn();
};

// isolated has each application's IPC alone, by application, setting and GPU; bases has the
// baseline's points.
const isolated = new Map(), bases = new Map();

const isolatedKey = (i, k, on) => data.apps[data.mix[i]][k] + " " + data.alike[i] + " " + on;
const baseKey = (i) => [data.mix[i], baseline.gpu === "" ? data.gpu[i] : "", baseline.setting === "" ? data.setting[i] : ""].join(" ");

// isBase says whether a point is of the baseline.
const isBase = (i) => data.policies[data.policy[i]] === baseline.policy && (baseline.gpu === "" || data.gpus[data.gpu[i]] === baseline.gpu) &&
  (baseline.setting === "" || data.settings[data.setting[i]] === baseline.setting);

// learn looks all points over after the data, or what they are compared with, have changed.
const learn = () => {
  isolated.clear();
  bases.clear();
  for (let i = 0; i < count(); i++) {
    data.apps[data.mix[i]].forEach((_, k) => {
      if (data.alone[k]?.[i] != null) isolated.set(isolatedKey(i, k, data.ground[i]), data.alone[k][i]);
    });
    if (isBase(i)) {
      if (!bases.has(baseKey(i))) bases.set(baseKey(i), []);
      bases.get(baseKey(i)).push(i);
    }
  }
};

// basesOf are the baseline's points that a point is compared with.
const basesOf = (i) => bases.get(baseKey(i)) || [];

// normal is the normalised IPC of the application at place k of a point's mix.
const normal = (k, i) => {
  if (ground === "") return data.tenant[k][i];
  const ipc = data.ipc[k][i], alone = isolated.get(isolatedKey(i, k, data.grounds.indexOf(ground)));
  return ipc == null || !alone ? null : ipc / alone;
};

// formulas compute, from normalised IPCs, the metrics that depend on runs alone; null is
// undefined.
const formulas = {
  STP: (list) => list.reduce((a, b) => a + b, 0),
  ANTT: (list) => (Math.min(...list) > 0 ? list.reduce((a, b) => a + 1 / b, 0) / list.length : null),
  Fairness: (list) => (Math.max(...list) > 0 ? Math.min(...list) / Math.max(...list) : null),
  HSpeedup: (list) => (Math.min(...list) > 0 ? list.length / list.reduce((a, b) => a + 1 / b, 0) : 0),
};

// value is a metric of a point; null if it is undefined.
const value = (m, i) => {
  const formula = formulas[data.metrics[m].name];
  if (ground === "" || !formula) return data.metric[m][i];
  const list = data.apps[data.mix[i]].map((_, k) => normal(k, i));
  return list.includes(null) ? null : formula(list);
};

// starved are the mixes, in their settings, of which some run that is shown lacks a metric.
// Means leave them out of all columns, so that all columns have means over the same mixes.
const starved = (columns, m) => {
  const out = new Set();
  for (const c of columns) for (const i of c.points) if (value(m, i) == null) out.add(data.mix[i] + " " + data.setting[i]);
  return out;
};
const fed = (points, lost) => points.filter((i) => !lost.has(data.mix[i] + " " + data.setting[i]));

// differ says whether an application's IPC alone differs between the points shown.
const differ = (points) => {
  const on = new Map();
  for (const i of points) {
    for (let k = 0; k < data.apps[data.mix[i]].length; k++) {
      const app = data.apps[data.mix[i]][k] + " " + data.alike[i];
      const alone = data.alone[k]?.[i];
      if (alone == null) continue;
      if (on.has(app) && Math.abs(on.get(app) / alone - 1) > 1e-4) return true;
      on.set(app, alone);
    }
  }
  return false;
};

// nameOfBase is how the page calls the baseline.
const nameOfBase = () => [baseline.policy, baseline.gpu && "on " + baseline.gpu, baseline.setting && "(" + baseline.setting + ")"].filter(Boolean).join(" ");
const whereBase = () => (baseline.gpu === "" ? " on the same GPU" : "");

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
const reach = (points) => mean(points.map((i) => value(overGoal, i)).filter((v) => v != null).map((v) => (v >= 1 ? 1 : 0)));

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
