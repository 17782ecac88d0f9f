/** Drawing lines onto a chart: the axes are uPlot's, the lines ours, each with places of its own. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { shownNumber } from "./show.ts";

export interface Line {
  readonly label: string;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  /** 1: the point is of hindsight, and drawn as a hollow diamond. */
  readonly hindsight: ArrayLike<number>;
  /** There are so many that a line between them would be a surface: dots. */
  readonly isLoose?: boolean;
}

export interface ChartOptions {
  readonly lines: readonly Line[];
  readonly extent: readonly [number, number];
  /** Names of places on the axis, where they are no numbers. */
  readonly xText?: ((x: number) => string) | undefined;
  /** A place that is pointed at, and on which side of it there is room for the text. */
  readonly mark?:
    | { readonly x: number; readonly text: string; readonly side: "left" | "right" }
    | undefined;
  readonly onzoom?: ((from: number, to: number) => void) | undefined;
  /** Told which line is nearest, and which of its points. */
  readonly onhover: (at: { readonly line: number; readonly point: number } | undefined) => void;
}

/** Lines that have a colour; as many again and again are dashed, the rest is grey. */
const COLOURS = 7;
const DASHED_MAX = 28;
/** Points have signs of their own where there is room for them. */
const SIGNS_MAX = 80;
/** Between ticks: 1, 2 and 5 of each power of ten. */
const STEPS = Array.from({ length: 24 }, (_, at) => 10 ** (at - 12)).flatMap((power) => [
  power,
  2 * power,
  5 * power,
]);
const whole = new Intl.NumberFormat("en");
const FONT = "11px system-ui, sans-serif";

export interface LineLook {
  readonly colour: string;
  readonly dash: readonly number[];
}

export function lookOf(at: number): LineLook {
  if (at >= DASHED_MAX) return { colour: "var(--control)", dash: [] };
  const colour = `var(--series-${(at % COLOURS) + 1})`;
  return { colour, dash: at < COLOURS ? [] : [2 + 2 * Math.floor(at / COLOURS), 3] };
}

export class Chart {
  readonly #plot: uPlot;
  #options: ChartOptions;
  #lifted: number | undefined;

  constructor(box: HTMLElement, width: number, height: number, options: ChartOptions) {
    this.#options = options;
    const colour =
      (name: string): (() => string) =>
      () =>
        this.#colour(`var(--${name})`);
    const axis = { stroke: colour("muted"), font: FONT, ticks: { show: false } };
    const grid = { stroke: colour("line"), width: 1 };
    this.#plot = new uPlot(
      {
        width,
        height,
        legend: { show: false },
        cursor: {
          y: false,
          points: { show: false },
          drag: { x: options.onzoom !== undefined, y: false, setScale: false },
        },
        scales: {
          x: { time: false, range: () => this.#xRange() },
          y: { range: () => this.#yRange() },
        },
        axes: [
          { ...axis, size: 24, gap: 4, grid: { show: false }, ...this.#ticks() },
          {
            ...axis,
            size: 52,
            gap: 6,
            space: 28,
            grid,
            values: (_, values) => values.map((one) => shownNumber(one)),
          },
        ],
        series: [
          {},
          { show: true, stroke: "transparent", paths: () => null, points: { show: false } },
        ],
        hooks: {
          draw: [() => this.#draw()],
          setCursor: [(plot) => this.#hover(plot)],
          setSelect: [(plot) => this.#select(plot)],
        },
      },
      this.#data(),
      box,
    );
  }

  /** Other points, or another part of the axis. */
  update(options: ChartOptions): void {
    this.#options = options;
    this.#plot.setData(this.#data());
  }

  resize(width: number, height: number): void {
    this.#plot.setSize({ width, height });
  }

  /** The theme is another one. */
  redraw(): void {
    this.#plot.redraw(false, true);
  }

  destroy(): void {
    this.#plot.destroy();
  }

  #data(): uPlot.AlignedData {
    const [from, to] = this.#options.extent;
    return [
      [from, to],
      [null, null],
    ];
  }

  #ticks(): Partial<uPlot.Axis> {
    const values = (_: uPlot, splits: number[]): (string | null)[] => {
      const { xText } = this.#options;
      if (!xText)
        return splits.map((one) => (Number.isInteger(one) ? whole.format(one) : shownNumber(one)));
      return splits.map((one) => (Number.isInteger(one) ? xText(one) : null));
    };
    // Iterations and runs are counted: there is nothing between two of them.
    const isWhole = (value: number | undefined): boolean => Number.isInteger(value ?? 0);
    const incrs = (): number[] => {
      const { lines } = this.#options;
      const isCounted = lines.every(({ x }) => isWhole(x[0]) && isWhole(x[x.length - 1]));
      return STEPS.filter((step) => !isCounted || step >= 1);
    };
    return this.#options.xText ? { values, incrs, space: 90 } : { values, incrs };
  }

  #xRange(): [number, number] {
    const [from, to] = this.#options.extent;
    return to > from ? [from, to] : [from - 1, to + 1];
  }

  /** Of what is seen: least and greatest, with room for a sign. */
  #yRange(): [number, number] {
    const [from, to] = this.#options.extent;
    let [low, high] = [Infinity, -Infinity];
    for (const { x, y } of this.#options.lines) {
      for (let at = 0; at < y.length; at++) {
        const [across = 0, value = 0] = [x[at], y[at]];
        if (across < from || across > to) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (low > high) return [0, 1];
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    return [low - room, high + room];
  }

  /** Canvas knows no variables of the style. */
  #colour(name: string): string {
    const [, variable] = /^var\((.*)\)$/.exec(name) ?? [];
    if (variable === undefined) return name;
    return getComputedStyle(document.documentElement).getPropertyValue(variable);
  }

  #draw(): void {
    const { ctx, bbox } = this.#plot;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    // A sign at the edge is seen whole.
    const edge = 6 * ratio;
    ctx.rect(bbox.left - edge, bbox.top, bbox.width + 2 * edge, bbox.height);
    ctx.clip();
    const { lines, mark } = this.#options;
    // The first stands on top, and above all the one that is pointed at.
    for (let at = lines.length - 1; at >= 0; at--) if (at !== this.#lifted) this.#line(at, ratio);
    if (this.#lifted !== undefined) this.#line(this.#lifted, ratio);
    if (mark) this.#mark(mark, ratio);
    ctx.restore();
  }

  #line(index: number, ratio: number): void {
    const line = this.#options.lines[index];
    if (!line) return;
    const { ctx } = this.#plot;
    const { colour, dash } = lookOf(index);
    const isLifted = index === this.#lifted;
    ctx.globalAlpha = this.#lifted === undefined || isLifted ? 1 : 0.35;
    ctx.strokeStyle = this.#colour(colour);
    ctx.lineWidth = (isLifted ? 2.5 : 1.5) * ratio;
    ctx.lineJoin = "round";
    ctx.setLineDash(dash.map((one) => one * ratio));
    if (line.isLoose) this.#dots(line, ratio);
    else {
      ctx.beginPath();
      for (let at = 0; at < line.x.length; at++) {
        const [left, top] = this.#place(line, at);
        if (at === 0) ctx.moveTo(left, top);
        else ctx.lineTo(left, top);
      }
      ctx.stroke();
    }
    ctx.setLineDash([]);
    if (line.x.length <= SIGNS_MAX)
      for (let at = 0; at < line.x.length; at++) this.#sign(line, at, ratio);
    ctx.globalAlpha = 1;
  }

  #dots(line: Line, ratio: number): void {
    const { ctx } = this.#plot;
    const size = 2 * ratio;
    const own = ctx.strokeStyle;
    const asked = this.#colour("var(--hindsight)");
    for (let at = 0; at < line.x.length; at++) {
      const [left, top] = this.#place(line, at);
      ctx.fillStyle = line.hindsight[at] === 1 ? asked : own;
      ctx.fillRect(left - size / 2, top - size / 2, size, size);
    }
  }

  /** A hollow diamond is what was computed in hindsight; a dot stands where there is no line. */
  #sign(line: Line, at: number, ratio: number): void {
    const { ctx } = this.#plot;
    const [left, top] = this.#place(line, at);
    if (line.hindsight[at] === 1) {
      const size = 5 * ratio;
      ctx.beginPath();
      ctx.moveTo(left, top - size);
      ctx.lineTo(left + size, top);
      ctx.lineTo(left, top + size);
      ctx.lineTo(left - size, top);
      ctx.closePath();
      ctx.fillStyle = this.#colour("var(--ground)");
      ctx.fill();
      const before = ctx.strokeStyle;
      ctx.strokeStyle = this.#colour("var(--hindsight)");
      ctx.lineWidth = 1.5 * ratio;
      ctx.stroke();
      ctx.strokeStyle = before;
    } else {
      ctx.beginPath();
      ctx.arc(left, top, 2 * ratio, 0, 2 * Math.PI);
      ctx.fillStyle = ctx.strokeStyle;
      ctx.fill();
    }
  }

  #mark({ x, text, side }: NonNullable<ChartOptions["mark"]>, ratio: number): void {
    const { ctx, bbox } = this.#plot;
    const left = this.#plot.valToPos(x, "x", true);
    ctx.strokeStyle = this.#colour("var(--review)");
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = this.#colour("var(--text)");
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "top";
    const isRight = side === "left";
    ctx.textAlign = isRight ? "right" : "left";
    ctx.fillText(text, left + (isRight ? -6 : 6) * ratio, bbox.top + 2 * ratio);
  }

  #place({ x, y }: Line, at: number): [number, number] {
    const plot = this.#plot;
    return [plot.valToPos(x[at] ?? 0, "x", true), plot.valToPos(y[at] ?? 0, "y", true)];
  }

  #hover({ cursor }: uPlot): void {
    const { left = -1, top = -1 } = cursor;
    const found = left < 0 ? undefined : this.#nearest(left, top);
    this.#options.onhover(found);
    const lifted = this.#options.lines.length > 1 ? found?.line : undefined;
    if (lifted === this.#lifted) return;
    this.#lifted = lifted;
    this.#plot.redraw(false, false);
  }

  #nearest(left: number, top: number): { line: number; point: number } | undefined {
    const value = this.#plot.posToVal(left, "x");
    let best: { line: number; point: number } | undefined;
    let least = Infinity;
    for (const [line, { x, y }] of this.#options.lines.entries()) {
      const point = nearestPlace(x, value);
      if (point === undefined) continue;
      const away = Math.abs(this.#plot.valToPos(y[point] ?? 0, "y") - top);
      if (away >= least) continue;
      least = away;
      best = { line, point };
    }
    return best;
  }

  #select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#options.onzoom?.(from, to);
  }
}

function nearestPlace(x: ArrayLike<number>, value: number): number | undefined {
  if (x.length === 0) return undefined;
  let [low, high] = [0, x.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((x[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  const before = low > 0 && value - (x[low - 1] ?? 0) < (x[low] ?? 0) - value;
  return before ? low - 1 : low;
}
