import type { Clock, Timer } from "../../util/clock.ts";
import type { Paint } from "./paint.ts";

/** The output of the progress. */
export interface Screen {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  /**
   * The width; undefined for an output whose lines cannot be overwritten: a pipe, a file, a dumb terminal.
   */
  readonly columns: () => number | undefined;
}

/** A finished step. */
export interface Outcome {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly fallback?: { readonly why: string; readonly mend: string } | undefined;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 80;
const clearLine = "\r\x1b[2K";

/**
 * Shows steps as they happen. On a terminal the current step is the last line, with a spinner. Other outputs
 * get a line when a step is done, and are never overwritten.
 */
export class Progress {
  readonly #screen: Screen;
  readonly #clock: Clock;
  #title: string | undefined;
  #frame = 0;
  #timer: Timer | undefined;

  constructor(screen: Screen, clock: Clock) {
    this.#screen = screen;
    this.#clock = clock;
  }

  begin(title: string): void {
    this.#title = title;
    this.#draw();
    this.#spin();
  }

  done(outcome: Outcome): void {
    this.end();
    this.#screen.write(outcomeText(outcome, this.#screen.paint));
  }

  /** Removes the current step from the screen. */
  end(): void {
    this.#timer?.cancel();
    if (this.#title !== undefined && this.#screen.columns() !== undefined) this.#screen.write(clearLine);
    this.#title = undefined;
  }

  /** Writes whole lines, such as log messages, above the current step. */
  above(write: () => void): void {
    if (this.#title !== undefined && this.#screen.columns() !== undefined) this.#screen.write(clearLine);
    write();
    this.#draw();
  }

  #spin(): void {
    this.#timer?.cancel();
    if (this.#screen.columns() === undefined) return;
    this.#timer = this.#clock.after(frameMs, () => {
      this.#frame++;
      this.#draw();
      this.#spin();
    });
  }

  #draw(): void {
    const columns = this.#screen.columns();
    if (this.#title === undefined || columns === undefined) return;
    // A line that wraps could not be cleared again.
    const text = `${this.#title} …`.slice(0, Math.max(0, columns - 4));
    const frame = frames[this.#frame % frames.length] ?? "";
    this.#screen.write(`\r ${this.#screen.paint("cyan", frame)} ${text}`);
  }
}

/** One line; a fall-back has a second one with its disadvantage and the remedy. */
export function outcomeText({ title, detail, fallback }: Outcome, paint: Paint): string {
  const tail = detail === undefined ? "" : `  ${paint("dim", detail)}`;
  if (fallback === undefined) return ` ${paint("green", "✓")} ${title}${tail}\n`;
  const { why, mend } = fallback;
  return ` ${paint("yellow", "!")} ${title}${tail}\n   ${paint("yellow", `${why} → ${mend}`)}\n`;
}
