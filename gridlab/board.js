// The browser's part of the playable grid: draws cells on one canvas, and says what was clicked and pressed.
// It knows no game. Lengths are in device pixels, so that every line is sharp on every screen.

const GRID_LINE = "#B4BAC2", FRAME = "#3C4650", WALL = "#1A1A1A", RING = "#0072B2";
const NO_LOOK = { fill: "#FFFFFF", label: "", paths: [] };
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const MOVES = [...Object.keys(STEPS), "Home", "End", "PageUp", "PageDown"];
const RIGHT = 1, BELOW = 2;

function render({ model, el }) {
    const box = document.createElement("div");
    box.className = "gridlab-grid";
    Object.assign(box.style, {
        display: "inline-block", boxSizing: "border-box", position: "relative", overflow: "auto", maxWidth: "100%",
        border: `2px solid ${FRAME}`, borderRadius: "3px", lineHeight: "0", verticalAlign: "top",
    });
    const canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "grid");
    canvas.dataset.version = 0;
    // JupyterLab leaves keys and right clicks on an element with these to the element.
    canvas.dataset.lmSuppressShortcuts = "true";
    canvas.dataset.jpSuppressContextMenu = "true";
    Object.assign(canvas.style, { display: "block", outline: "none", touchAction: "manipulation", cursor: "default" });
    // Where the cursor's cell is in the page, to scroll to.
    const spot = document.createElement("div");
    Object.assign(spot.style, { position: "absolute", visibility: "hidden", pointerEvents: "none" });
    // What the cursor's cell shows, for those who hear it.
    const live = document.createElement("div");
    live.className = "gridlab-spoken";
    live.setAttribute("aria-live", "polite");
    Object.assign(live.style, { position: "absolute", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)" });
    el.style.position = "relative";
    // A grid has rows, and a row cells: inside a canvas they are there for those who do not see.
    const spoken = document.createElement("div");
    spoken.setAttribute("role", "gridcell");
    const row = document.createElement("div");
    row.setAttribute("role", "row");
    row.append(spoken);
    canvas.append(row);
    box.append(canvas, spot);
    el.append(box, live);
    const context = canvas.getContext("2d", { alpha: false });

    let side = 0; // of a cell
    let drawn = []; // what each cell was last drawn as
    let shapes = new Map(); // of path data to Path2D
    let cursor = model.get("cursor"), byKeys = false, held = null, pressed = -1, frame = 0;

    const rows = () => model.get("rows"), cols = () => model.get("cols");
    const at = (bytes, k) => (bytes && k < bytes.byteLength ? bytes.getUint8(k) : 0);
    const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

    function measure() {
        const ratio = window.devicePixelRatio || 1;
        const [smallest, largest] = model.get("cell_sizes");
        const cell = clamp(Math.floor((model.get("width") - 4) / cols()), smallest, largest);
        const now = Math.round(cell * ratio);
        const [width, height] = [now * cols(), now * rows()];
        if (now !== side || canvas.width !== width || canvas.height !== height) {
            [side, canvas.width, canvas.height, drawn] = [now, width, height, []];
            Object.assign(canvas.style, { width: `${width / ratio}px`, height: `${height / ratio}px` });
        }
        // With room for the bars that scroll it, where it is larger than it may be.
        const inside = [width / ratio, height / ratio];
        box.style.width = `${Math.min(model.get("width"), inside[0] + 4 + (inside[1] + 4 > model.get("height") ? 16 : 0))}px`;
        box.style.height = `${Math.min(model.get("height"), inside[1] + 4 + (inside[0] + 4 > model.get("width") ? 16 : 0))}px`;
        canvas.dataset.cell = side / ratio;
    }

    // Everything a cell's picture depends on, as one text: equal texts need no drawing.
    function state(k, codes, texts, walls) {
        const row = Math.floor(k / cols()), col = k % cols();
        const edges = at(walls, k) & 3
            | (col && at(walls, k - 1) & RIGHT ? 4 : 0) | (row && at(walls, k - cols()) & BELOW ? 8 : 0);
        const ring = byKeys && k === cursor && document.activeElement === canvas;
        return `${at(codes, k)}|${edges}|${ring}|${k === pressed}|${texts[k] ?? ""}`;
    }

    function drawCell(k, codes, texts) {
        const look = model.get("looks")[at(codes, k)] ?? NO_LOOK;
        const [, edges, ring, press] = drawn[k].split("|");
        const x = (k % cols()) * side, y = Math.floor(k / cols()) * side;
        const line = Math.max(1, Math.round(side / 26));
        context.fillStyle = look.fill;
        context.fillRect(x, y, side, side);
        if (look.raised && press !== "true") {
            const edge = Math.max(1, Math.round(side / 13));
            context.fillStyle = "rgba(255, 255, 255, 0.8)";
            context.fillRect(x, y, side, edge);
            context.fillRect(x, y, edge, side);
            context.fillStyle = "rgba(30, 45, 60, 0.14)";
            context.fillRect(x, y + side - edge - line, side, edge);
            context.fillRect(x + side - edge - line, y, edge, side);
        }
        if (press === "true") {
            context.fillStyle = "rgba(30, 45, 60, 0.15)";
            context.fillRect(x, y, side, side);
        }
        context.fillStyle = GRID_LINE;
        context.fillRect(x, y + side - line, side, line);
        context.fillRect(x + side - line, y, line, side);
        if (look.paths?.length) {
            context.save();
            context.translate(x, y);
            context.scale((side - line) / 100, (side - line) / 100);
            for (const [data, fill] of look.paths) {
                if (!shapes.has(data)) shapes.set(data, new Path2D(data));
                context.fillStyle = fill;
                context.fill(shapes.get(data));
            }
            context.restore();
        }
        const text = texts[k] || look.text;
        if (text) {
            const size = side * (text.length > 2 ? 0.42 : text.length > 1 ? 0.54 : 0.68);
            context.font = `700 ${size}px "DejaVu Sans", Verdana, "Segoe UI", Arial, sans-serif`;
            context.textAlign = "center";
            context.fillStyle = look.ink ?? WALL;
            // Digits and capitals are centred by their own height, not by that of all letters.
            const high = context.measureText("0").actualBoundingBoxAscent;
            context.fillText(text, x + (side - line) / 2, Math.round(y + (side - line + high) / 2));
        }
        if (edges !== "0") {
            const thick = Math.max(2, Math.round(side / 14));
            context.fillStyle = WALL;
            if (edges & 1) context.fillRect(x + side - thick, y, thick, side);
            if (edges & 2) context.fillRect(x, y + side - thick, side, thick);
            if (edges & 4) context.fillRect(x, y, thick, side);
            if (edges & 8) context.fillRect(x, y, side, thick);
        }
        if (ring === "true") {
            const thick = Math.max(2, Math.round(side / 9)), half = Math.max(1, Math.round(thick / 3));
            for (const [colour, from, width] of [[RING, 0, thick], ["#FFFFFF", thick, half]]) {
                context.lineWidth = width;
                context.strokeStyle = colour;
                const inset = from + width / 2;
                context.strokeRect(x + inset, y + inset, side - line - 2 * inset, side - line - 2 * inset);
            }
        }
    }

    function say(codes, texts) {
        const look = model.get("looks")[at(codes, cursor)] ?? NO_LOOK;
        const place = `row ${Math.floor(cursor / cols()) + 1}, column ${(cursor % cols()) + 1}`;
        const words = box.title || `${place}: ${[look.label, texts[cursor]].filter(Boolean).join(" ")}`;
        if (live.textContent !== words) live.textContent = spoken.textContent = words;
    }

    function draw() {
        frame = 0;
        measure();
        cursor = clamp(cursor, 0, rows() * cols() - 1);
        const [codes, texts, walls] = [model.get("codes"), model.get("texts"), model.get("walls")];
        for (let k = 0; k < rows() * cols(); k++) {
            const now = state(k, codes, texts, walls);
            if (drawn[k] !== now) {
                drawn[k] = now;
                drawCell(k, codes, texts);
            }
        }
        canvas.setAttribute("aria-label", model.get("label"));
        canvas.setAttribute("aria-rowcount", rows());
        canvas.setAttribute("aria-colcount", cols());
        Object.assign(canvas.dataset, { rows: rows(), cols: cols(), cursor });
        say(codes, texts);
        canvas.dataset.version = Number(canvas.dataset.version) + 1;
    }

    // However many values change at once, they are drawn once.
    const redraw = () => { frame ||= requestAnimationFrame(draw); };
    const redrawAll = () => { drawn = []; redraw(); };

    // Nothing can be said to a kernel that has gone: then the grid is grey, and tells why.
    function toPython(act) {
        try {
            act();
        } catch {
            box.style.opacity = 0.5;
            box.title = "This grid has lost its kernel: run its cell again.";
            redraw();
        }
    }

    function moveTo(cell) {
        if (cell !== cursor) {
            canvas.dataset.cursor = cursor = cell;
            model.set("cursor", cell);
            toPython(() => model.save_changes());
        }
        redraw();
    }

    // Scroll the box and the page until the cursor's cell is in sight.
    function bringIntoView() {
        const size = side / (window.devicePixelRatio || 1);
        const [left, top] = [(cursor % cols()) * size, Math.floor(cursor / cols()) * size];
        Object.assign(spot.style, { left: `${left}px`, top: `${top}px`, width: `${size}px`, height: `${size}px` });
        spot.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    function cellOf(event) {
        const place = canvas.getBoundingClientRect();
        const col = Math.floor(((event.clientX - place.left) / place.width) * cols());
        const row = Math.floor(((event.clientY - place.top) / place.height) * rows());
        return row >= 0 && row < rows() && col >= 0 && col < cols() ? row * cols() + col : -1;
    }

    function tell(type, event, more) {
        const { shiftKey: shift, ctrlKey, metaKey, altKey: alt } = event;
        toPython(() => model.send({ type, shape: [rows(), cols()], shift, ctrl: ctrlKey || metaKey, alt, ...more }));
    }

    canvas.addEventListener("mousedown", (event) => {
        event.preventDefault(); // no selecting, no scrolling by the middle button
        event.stopPropagation();
        byKeys = false;
        // Left and right together count as the middle button.
        held = { cell: cellOf(event), button: (event.buttons & 3) === 3 ? 1 : event.button };
        pressed = held.button === 0 ? held.cell : -1;
        redraw();
    });
    const release = (event) => {
        if (!held) return;
        const { cell, button } = held;
        pressed = -1;
        redraw();
        if (button === 1 && event.button !== 1 && event.buttons & 3) return; // the first of two goes up
        held = null;
        if (event.target !== canvas) return;
        // The notebook takes the focus on this event; a moment later it is ours.
        setTimeout(() => canvas.focus({ preventScroll: true }));
        if (cell >= 0 && cellOf(event) === cell) {
            moveTo(cell);
            tell("click", event, { cell, button });
        }
    };
    window.addEventListener("mouseup", release);
    canvas.addEventListener("mousemove", (event) => {
        if (pressed >= 0 && cellOf(event) !== pressed) {
            pressed = -1;
            redraw();
        }
    });
    canvas.addEventListener("contextmenu", (event) => {
        event.preventDefault();
        event.stopPropagation();
        if (event.pointerType === "touch" && cellOf(event) >= 0) tell("click", event, { cell: cellOf(event), button: 2 });
    });
    canvas.addEventListener("auxclick", (event) => event.preventDefault());
    canvas.addEventListener("focus", () => {
        byKeys ||= canvas.matches(":focus-visible") && !held;
        box.style.borderColor = RING;
        redraw();
    });
    canvas.addEventListener("blur", () => {
        box.style.borderColor = FRAME;
        byKeys = false;
        pressed = -1;
        redraw();
    });
    canvas.addEventListener("keydown", (event) => {
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (event.altKey || event.metaKey) return;
        if (MOVES.includes(key)) {
            let [row, col] = [Math.floor(cursor / cols()), cursor % cols()];
            if (key in STEPS) [row, col] = [row + STEPS[key][0], col + STEPS[key][1]];
            if (key === "Home" || key === "End") col = key === "Home" ? 0 : cols() - 1;
            if (key === "PageUp" || key === "PageDown" || (event.ctrlKey && (key === "Home" || key === "End")))
                row = key === "PageUp" || key === "Home" ? 0 : rows() - 1;
            byKeys = true;
            moveTo(clamp(row, 0, rows() - 1) * cols() + clamp(col, 0, cols() - 1));
            bringIntoView();
        } else if (!event.ctrlKey && model.get("hotkeys").includes(key)) {
            byKeys = true;
            redraw();
            if (!event.repeat) tell("key", event, { cell: cursor, key });
        } else return;
        event.preventDefault();
        event.stopPropagation();
    });

    model.on("change", redraw);
    model.on("change:looks", redrawAll);
    const onCursor = () => { cursor = model.get("cursor"); };
    model.on("change:cursor", onCursor);
    // On another screen, or zoomed, a cell has another number of pixels.
    let dense = null;
    const onDensity = () => {
        dense?.removeEventListener("change", onDensity);
        dense = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
        dense.addEventListener("change", onDensity);
        redraw();
    };
    onDensity();
    window.addEventListener("resize", redraw);
    draw();

    return () => {
        cancelAnimationFrame(frame);
        window.removeEventListener("mouseup", release);
        dense.removeEventListener("change", onDensity);
        window.removeEventListener("resize", redraw);
        model.off("change", redraw);
        model.off("change:looks", redrawAll);
        model.off("change:cursor", onCursor);
    };
}

export default { render };
