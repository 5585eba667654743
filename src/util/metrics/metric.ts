/** The labels of a metric family and the help text that scrapers show. */
export interface Family<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

export type LabelValues<L extends string> = Readonly<Record<L, string>>;

/** The number of series of one family. Further ones are not counted, because clients may choose some label values. */
const mostSeries = 10_000;

/** The series of one family, by the values of their labels. Texts are made for a scrape, not for each change. */
class Series<L extends string, T> {
  readonly #labels: readonly L[];
  readonly #make: () => T;
  readonly #all = new Map<string, { readonly values: LabelValues<L>; readonly series: T }>();

  constructor(labels: readonly L[], make: () => T) {
    this.#labels = labels;
    this.#make = make;
  }

  /** Undefined beyond the greatest number of series. */
  at(values: LabelValues<L>): T | undefined {
    const key = this.#keyOf(values);
    const known = this.#all.get(key);
    if (known !== undefined || this.#all.size >= mostSeries) return known?.series;
    const series = this.#make();
    this.#all.set(key, { values, series });
    return series;
  }

  #keyOf(values: LabelValues<L>): string {
    const [first] = this.#labels;
    if (first === undefined) return "";
    return this.#labels.length === 1
      ? values[first]
      : JSON.stringify(this.#labels.map((label) => values[label]));
  }

  /** Each series with the text of its labels. */
  *entries(): Iterable<[string, T]> {
    for (const { values, series } of this.#all.values())
      yield [this.#labels.map((label) => `${label}="${escaped(values[label])}"`).join(","), series];
  }
}

const escaped = (value: string) =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** A family of series, as a scrape shows it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** The lines of all series, without the comments before them. */
  lines(): Iterable<string>;
}

interface Cell {
  value: number;
}

/** A number for each series. */
class Numbers<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly #series: Series<L, Cell>;

  constructor({ name, help, labels = [] }: Family<L>) {
    this.name = name;
    this.help = help;
    this.#series = new Series(labels, () => ({ value: 0 }));
  }

  protected cell(values: LabelValues<L>): Cell | undefined {
    return this.#series.at(values);
  }

  *lines(): Iterable<string> {
    for (const [labels, { value }] of this.#series.entries()) yield line(this.name, labels, value);
  }
}

/** A number that only grows. */
export class Counter<L extends string = never> extends Numbers<L> implements Metric {
  readonly type = "counter";

  add(values: LabelValues<L>, by = 1): void {
    const cell = this.cell(values);
    if (cell !== undefined) cell.value += by;
  }
}

/** A number that rises and falls. */
export class Gauge<L extends string = never> extends Numbers<L> implements Metric {
  readonly type = "gauge";

  set(values: LabelValues<L>, value: number): void {
    const cell = this.cell(values);
    if (cell !== undefined) cell.value = value;
  }
}

interface Distribution {
  /** The observations of each bucket alone, the last for those above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** The distribution of observed values over buckets. */
export class Histogram<L extends string = never> implements Metric {
  readonly type = "histogram";
  readonly name: string;
  readonly help: string;
  /** The upper bounds of the buckets, ascending. */
  readonly #bounds: readonly number[];
  readonly #series: Series<L, Distribution>;

  constructor({ name, help, labels = [] }: Family<L>, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
    this.#series = new Series(labels, () => ({
      counts: Array.from({ length: bounds.length + 1 }, () => 0),
      sum: 0,
    }));
  }

  observe(values: LabelValues<L>, value: number): void {
    const one = this.#series.at(values);
    if (one === undefined) return;
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = found < 0 ? this.#bounds.length : found;
    one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
    one.sum += value;
  }

  *lines(): Iterable<string> {
    for (const [labels, { counts, sum }] of this.#series.entries()) {
      let total = 0;
      for (const [i, count] of counts.entries()) {
        total += count;
        const bound = `le="${this.#bounds[i] ?? "+Inf"}"`;
        yield line(`${this.name}_bucket`, labels === "" ? bound : `${labels},${bound}`, total);
      }
      yield line(`${this.name}_sum`, labels, sum);
      yield line(`${this.name}_count`, labels, total);
    }
  }
}

function line(name: string, labels: string, value: number): string {
  return labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}

/** Bounds that grow by a factor (prometheus `ExponentialBuckets`). */
export function exponentialBounds(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => Number((start * factor ** i).toPrecision(12)));
}
