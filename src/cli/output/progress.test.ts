import { expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import type { Paint } from "./paint.ts";
import { plain } from "./paint.ts";
import { Progress } from "./progress.ts";

const named: Paint = (style, text) => `<${style}>${text}</>`;

function shown(columns: number | undefined, paint: Paint = plain) {
  const clock = new VirtualClock();
  const written: string[] = [];
  const screen = { write: (text: string) => void written.push(text), paint, columns: () => columns };
  return { clock, written, progress: new Progress(screen, clock) };
}

test("a pipe gets one line for each step that is done, and logs between them", async () => {
  const { clock, written, progress } = shown(undefined);
  progress.begin("Store");
  await clock.advance(1000);
  progress.above(() => written.push("a log line\n"));
  progress.done({ title: "Store", detail: "store.db" });
  progress.begin("Node");
  progress.end();
  expect(written).toEqual(["a log line\n", " ✓ Store  store.db\n"]);
});

test("a terminal shows the current step, and clears it for its outcome and for logs", async () => {
  const { clock, written, progress } = shown(80);
  progress.begin("Store");
  await clock.advance(80);
  progress.above(() => written.push("a log line\n"));
  progress.done({ title: "Store" });
  await clock.advance(1000);
  expect(written).toEqual([
    "\r ⠋ Store …",
    "\r ⠙ Store …",
    "\r\x1b[2K",
    "a log line\n",
    "\r ⠙ Store …",
    "\r\x1b[2K",
    " ✓ Store\n",
  ]);
});

test("lines are cut to the width of a narrow terminal", () => {
  const { written, progress } = shown(12);
  progress.begin("Controllers, scheduler");
  expect(written).toEqual(["\r ⠋ Controll"]);
  progress.end();
});

test("a fall-back is yellow, with its remedy", () => {
  const { written, progress } = shown(undefined, named);
  progress.done({ title: "Node", detail: "simulated", fallback: { why: "no root", mend: "run with sudo" } });
  expect(written.join("")).toBe(
    " <yellow>!</> Node  <dim>simulated</>\n   <yellow>no root → run with sudo</>\n",
  );
});
