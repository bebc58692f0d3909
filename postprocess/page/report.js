"use strict";
(() => {
const overview = document.getElementById("overview");
const view = document.getElementById("view");
const table = document.getElementById("testcases");
const body = table.tBodies[0];
const [name, group, verdict] = ["name", "group", "verdict"].map(id => document.getElementById(id));
const title = document.title;
const rows = [...body.rows];

// --- The table: filter and sort. ---

function filter() {
	const words = name.value.toLowerCase().split(/\s+/);
	let shown = 0;
	for (const row of rows) {
		const text = row.cells[0].textContent.toLowerCase();
		row.hidden = !(words.every(word => text.includes(word)) &&
			(!group.value || row.dataset.group === group.value) &&
			(!verdict.value || row.dataset.verdicts.split("|").includes(verdict.value)));
		shown += !row.hidden;
	}
	document.getElementById("count").textContent = `${shown} of ${rows.length} testcases`;
}

function sort(heading) {
	const column = heading.cellIndex;
	const ascending = heading.ariaSort !== "ascending";
	const keyOf = row => row.cells[column].dataset.sort;
	const numbers = rows.every(row => keyOf(row) !== "" && isFinite(keyOf(row)));
	rows.sort((one, other) => (ascending ? 1 : -1) * (numbers ?
		keyOf(one) - keyOf(other) : keyOf(one).localeCompare(keyOf(other), undefined, { numeric: true })));
	for (const each of table.tHead.rows[0].cells)
		each.ariaSort = each === heading ? (ascending ? "ascending" : "descending") : "none";
	body.append(...rows);
}

// --- What lies compressed in the page. ---

// Of base85: Python's alphabet, with a point in the place of what begins a tag.
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;.=>?@^_`{|}~";
const valueOf = new Uint8Array(128);
[...DIGITS].forEach((digit, value) => valueOf[digit.charCodeAt(0)] = value);

// Five digits are four bytes; fewer at the end stand for one byte fewer than they are.
function bytesOf(text) {
	const missing = (5 - text.length % 5) % 5;
	const whole = text + "~".repeat(missing);
	const bytes = new DataView(new ArrayBuffer(whole.length / 5 * 4));
	for (let at = 0; at < whole.length; at += 5) {
		let value = 0;
		for (let digit = at; digit < at + 5; digit++)
			value = value * 85 + valueOf[whole.charCodeAt(digit)];
		bytes.setUint32(at / 5 * 4, value);
	}
	return new Uint8Array(bytes.buffer, 0, bytes.byteLength - missing);
}

async function unpack(script) {
	if (!window.DecompressionStream)
		throw new Error("this browser cannot unpack the page's plots (it has no DecompressionStream): use a newer one");
	return new Response(new Blob([bytesOf(script.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

let plotly;

// Its script is large, and is run when the first plot is wanted.
function loadPlotly() {
	plotly ??= unpack(document.getElementById("plotly")).then(text => {
		const script = document.createElement("script");
		script.nonce = document.currentNonce;
		script.textContent = text;
		document.head.append(script);
	});
	return plotly;
}
document.currentNonce = document.currentScript.nonce;

// --- A testcase's view. ---

function element(tag, properties = {}, ...children) {
	const made = Object.assign(document.createElement(tag), properties);
	made.append(...children);
	return made;
}

function makeTable(section) {
	const cell = (tag, text, column) => element(tag, {
		className: section.left.includes(column) ? "" : "number", textContent: text });
	const line = (tag, cells) => element("tr", {}, ...cells.map((text, column) => cell(tag, text, column)));
	return element("div", { className: "wide" }, element("table", {},
		element("thead", {}, line("th", section.header)),
		element("tbody", {}, ...section.rows.map(row => line("td", row)))));
}

function makeSection(section) {
	const content = {
		figure: () => element("div", { className: "canvas", figure: section.figure }),
		table: () => makeTable(section),
		text: () => element("pre", { textContent: section.text }),
	}[section.kind]();
	const note = section.note ? [element("p", { className: "note", textContent: section.note })] : [];
	return element("section", { className: `section ${section.kind}` },
		element("h2", { textContent: section.title }), ...note, content);
}

function themed(layout) {
	const style = getComputedStyle(document.documentElement);
	const [ink, paper, line] = ["--ink", "--paper", "--line"].map(each => style.getPropertyValue(each));
	const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true };
	const made = { autosize: true, hovermode: "closest", margin: { l: 60, r: 50, t: 20, b: 45 }, ...layout,
		paper_bgcolor: paper, plot_bgcolor: paper, font: { color: ink, size: 12 },
		legend: { orientation: "h", y: 1.02, yanchor: "bottom" }, modebar: { orientation: "v" } };
	for (const each of ["xaxis", "yaxis", "yaxis2"])
		if (layout[each])
			made[each] = { ...axis, ...layout[each] };
	return made;
}

// As per_task() of figures.py: of all tasks' rates, which are most of a page's size, there is one copy.
function perTask(traces) {
	return traces.filter(trace => trace.yaxis !== "y2").map(trace => ({
		...trace, y: trace.y.map((rate, at) => rate === null ? null : rate / trace.x[at]) }));
}

const CONFIG = { responsive: true, displaylogo: false,
	modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"] };

function draw() {
	for (const plot of view.querySelectorAll("div.canvas"))
		Plotly.react(plot, plot.figure.data, themed(plot.figure.layout), CONFIG);
}

// Nothing may ask for a permission that a page from a file does not get.
async function copy(text, button) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = element("textarea", { value: text });
		view.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	button.textContent = "Copied";
}

function neighbour(script, step) {
	const visible = rows.filter(row => !row.hidden);
	const at = visible.findIndex(row => addressOf(row) === script.dataset.view);
	return visible[at + step];
}

const addressOf = row => row.cells[0].querySelector("a").getAttribute("href").slice(1);

function link(text, row) {
	return row ? [element("a", { href: `#${addressOf(row)}`, textContent: text })] : [];
}

async function show() {
	const address = location.hash.slice(1);
	const script = [...document.querySelectorAll("[data-view]")].find(each => each.dataset.view === address);
	overview.hidden = Boolean(script);
	view.hidden = !script;
	view.replaceChildren();
	delete view.dataset.drawn;
	document.title = title;
	if (!script)
		return;
	const found = JSON.parse(await unpack(script));
	found.sections.forEach((section, at) => {
		if (section.kind === "figure")
			section.figure.data ??= perTask(found.sections[at - 1].figure.data);
	});
	document.title = `${found.title} - ${title}`;
	const button = element("button", { type: "button", id: "copy", textContent: "Copy as text" });
	button.onclick = () => copy(found.text, button);
	view.replaceChildren(
		element("nav", {}, element("a", { href: "#", textContent: "All testcases" }),
			...link("Previous", neighbour(script, -1)), ...link("Next", neighbour(script, 1)), button),
		element("h1", { textContent: found.title }),
		element("p", { textContent: [found.description, found.group, found.place].filter(Boolean).join(" - ") }),
		...found.sentences.map(each => element("p", { textContent: each })),
		element("div", { className: "sections" }, ...found.sections.map(makeSection)));
	view.focus({ preventScroll: true });
	scrollTo(0, 0);
	await loadPlotly();
	if (location.hash.slice(1) !== address)
		return;
	draw();
	view.dataset.drawn = address;
}

// --- What the user does. ---

function press(event) {
	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (event.key === "Escape") {
		if (view.hidden)
			name.value = "", filter();
		else
			location.hash = "";
		return;
	}
	if (event.target.matches("input, select, textarea"))
		return;
	const script = document.querySelector(`[data-view="${CSS.escape(location.hash.slice(1))}"]`);
	const to = { n: 1, p: -1 }[event.key];
	if (event.key === "/" && view.hidden) {
		event.preventDefault();
		name.focus();
	} else if (to && script && neighbour(script, to)) {
		location.hash = addressOf(neighbour(script, to));
	}
}

function fail(error) {
	const trouble = document.getElementById("trouble");
	trouble.textContent = error.message;
	trouble.hidden = false;
}

for (const heading of table.tHead.rows[0].cells)
	heading.firstChild.onclick = () => sort(heading);
for (const control of [name, group, verdict])
	control.oninput = filter;
document.getElementById("controls").onsubmit = event => event.preventDefault();
addEventListener("keydown", press);
addEventListener("hashchange", () => show().catch(fail));
for (const query of ["(prefers-color-scheme: dark)", "print"])
	matchMedia(query).addEventListener("change", () => view.dataset.drawn && draw());
filter();
show().catch(fail);
})();
