// A search field above a table keeps the rows that have all of its words.
for (const field of document.querySelectorAll("input[data-find]")) {
  const rows = [...document.getElementById(field.dataset.find).tBodies[0].rows].map((row) => ({ row, text: row.textContent.toLowerCase() }));
  const count = field.parentNode.querySelector("span");
  const keep = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text } of rows) {
      row.hidden = !words.every((w) => text.includes(w));
      if (!row.hidden) shown++;
    }
    count.textContent = shown + " of " + rows.length;
  };
  field.addEventListener("input", keep);
  keep();
}
