"use strict";
(() => {
  const make = (tag, attributes, ...children) => {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    e.append(...children);
    return e;
  };
  const span = (s) => s < 60 ? s + " s" : s < 3600 ? Math.floor(s / 60) + " min" : s < 86400 ? Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min" : Math.floor(s / 86400) + " days";
  const ago = (s) => span(s) + " ago";
  const runs = (n) => n + (n === 1 ? " run" : " runs");
  // pace is how many runs are made in a time in which at least one is.
  const pace = (n) => n < 1 ? (60 * n).toFixed(1) + " an hour" : (n < 10 ? n.toFixed(1) : Math.round(n)) + " a minute";
  const moment = (began) => began.replace("T", " ").replace("Z", " UTC");
  const open = new Set(); // lists of failures, by sweep: drawing closes them
  const standing = (w) => {
    const there = w.done + " of " + runs(w.total);
    const lost = w.failed ? ", " + w.failed + " failed" : "";
    switch (w.state) {
      case "complete": return there + ", all there";
      case "running": return there + lost + (w.per_minute ? ", " + pace(w.per_minute) : "") + (w.left ? ", about " + span(w.left) + " left" : "") + ", begun " + moment(w.began);
      case "failed": return there + lost + "; the same command tries again";
      case "stopped": return (w.message.includes(there) ? "" : there + lost + ": ") + w.message;
      case "dead": return there + lost + "; no sign of life for " + span(w.beat) + ": it was killed or halted, or its machine is off; the same command goes on from there";
    }
    return there + ", begun " + moment(w.began) + "; its program gives no signs of life";
  };
  const failures = (store, w) => {
    const key = store + " " + w.id;
    const box = make("details", open.has(key) ? { open: "" } : {}, make("summary", { id: "failures-" + key }, runs(w.failed) + " failed"),
      ...w.failures.map((f) => make("div", {}, make("pre", {}, f.run), make("p", { class: "problem" }, f.message))));
    if (w.failed > w.failures.length) box.append(make("p", {}, "and " + (w.failed - w.failures.length) + " more"));
    box.addEventListener("toggle", () => box.open ? open.add(key) : open.delete(key));
    return box;
  };
  const table = (means) => {
    // Settings have a column where they differ.
    const texts = ["policy", "GPU", ...(means.some((m) => m.setting) ? ["setting"] : [])];
    const columns = [...texts, "runs", "STP", "ANTT", "fairness"];
    const style = (k) => k < texts.length ? { class: "text" } : {};
    return make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map((name, k) => make("th", { ...style(k), scope: "col" }, name)))),
      make("tbody", {}, ...means.map((m) => make("tr", {}, ...columns.map((name, k) => make("td", style(k), String(m[name.toLowerCase()] ?? ""))))))));
  };
  const draw = (state) => {
    const focused = document.activeElement?.getAttribute("href"), within = document.activeElement?.id;
    const list = state.stores.map((s) => {
      const at = "/stores/" + encodeURIComponent(s.name) + "/";
      const box = make("section", {}, make("h2", {}, make("a", { href: at }, s.name)));
      if (s.problem) box.append(make("p", { class: "problem" }, s.problem));
      else box.append(make("p", {}, s.runs ? runs(s.runs) + " stored, " + (s.about ? "those of single applications included. Of several applications: " + s.about : "none of several applications") + ". Last written " + ago(s.written) + "." : "No run is stored yet."));
      for (const w of s.sweeps) {
        box.append(make("h3", {}, make("a", { href: at + "sweeps/" + w.id + "/" }, w.command)),
          make("progress", { max: w.total, value: w.done, "aria-label": w.command, class: w.state }),
          make("p", { class: "standing " + w.state }, make("b", {}, w.state === "unknown" ? "" : w.state), " " + standing(w)));
        if (w.failures) box.append(failures(s.name, w));
      }
      if (s.means.length) box.append(make("h3", {}, "Means so far" + (s.means.length === 8 ? ", of the policies with the most runs" : "")), table(s.means));
      return box;
    });
    if (!list.length) list.push(make("section", {}, make("p", {}, "There is no store yet.")));
    if (state.pages.length) {
      list.push(make("section", {}, make("h2", {}, "Pages"), make("ul", {}, ...state.pages.map((p) => make("li", {}, make("a", { href: p.url }, p.name))))));
    }
    document.getElementById("stores").replaceChildren(...list);
    if (focused) [...document.links].find((a) => a.getAttribute("href") === focused)?.focus({ preventScroll: true });
    else if (within) document.getElementById(within)?.focus({ preventScroll: true });
  };
  draw(JSON.parse(document.getElementById("state").textContent));
  const news = document.getElementById("news");
  const follow = async () => {
    for (;;) {
      await new Promise((done) => setTimeout(done, 2000));
      if (document.hidden) continue;
      try {
        const answer = await fetch("/live.json", { cache: "no-store" });
        if (!answer.ok) throw new Error(await answer.text());
        draw(await answer.json());
        news.textContent = "";
      } catch (fault) {
        news.textContent = "No news: " + fault.message;
      }
    }
  };
  follow();
})();
