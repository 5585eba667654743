import { describe, expect, test } from "vitest";
import { execute, verdict } from "./bpf.suite.ts";
import { BpfProgram, maxInstructions, ProgramTooLargeError, type Target } from "./bpf-program.ts";

const numbered = (number: number) => ({ number, token: 0, args: [] });

/** A program that returns 1000 + i for each number i below `count`, and 7 for others: a chain of comparisons. */
function chain(count: number): Uint8Array {
  const program = new BpfProgram();
  let next: Target = { value: 7 };
  for (let i = count - 1; i >= 0; i--) next = program.compare("jumpEqual", i, { value: 1000 + i }, next);
  return program.startingAt(program.load(0));
}

describe("a BPF program", () => {
  test("a return alone is a program", () => {
    const program = new BpfProgram().startingAt({ value: 0x7fff0000 });
    expect([...program]).toEqual([6, 0, 0, 0, 0, 0, 0xff, 0x7f]);
  });

  test("a comparison has little-endian fields and jumps forward", () => {
    const program = new BpfProgram();
    program.compare("jumpEqual", 0x01020304, { value: 1 }, { value: 2 });
    const bytes = program.startingAt(program.load(4));
    expect([...bytes.subarray(0, 16)]).toEqual([0x20, 0, 0, 0, 4, 0, 0, 0, 0x15, 0, 0, 1, 4, 3, 2, 1]);
    expect(verdict(bytes, { number: 0, token: 0x01020304, args: [] })).toBe(1);
    expect(verdict(bytes, { number: 0, token: 0, args: [] })).toBe(2);
  });

  test.each([1, 120, 126, 127, 128, 129, 254, 255, 256, 257, 1000])(
    "a chain of %i comparisons reaches the default at its end",
    (count) => {
      const program = chain(count);
      for (const i of [0, count >> 1, count - 1]) expect(verdict(program, numbered(i))).toBe(1000 + i);
      expect(verdict(program, numbered(count))).toBe(7);
    },
  );

  test.each([253, 254, 255, 256, 600])(
    "two targets are reached when the nearer one is beyond %i instructions",
    (between) => {
      const program = new BpfProgram();
      const far = program.compare("jumpEqual", 1, { value: 11 }, { value: 12 });
      for (let i = 0; i < 300; i++) program.load(0);
      const nearer = program.load(0);
      for (let i = 0; i < between; i++) program.load(0);
      program.compare("jumpEqual", 0, far, nearer);
      const bytes = program.startingAt(program.load(0));
      // A load, a comparison, a jump to the far one, its comparison, and a return.
      expect(execute(bytes, numbered(0))).toEqual({ value: 12, steps: 5 });
      expect(execute(bytes, numbered(1)).value).toBe(11);
      // The nearer one begins with 301 loads. It is reached directly if the far one's jump leaves it near.
      const steps = 301 + (between < 255 ? 4 : 5);
      expect(execute(bytes, numbered(1)).steps).toBe(steps);
    },
  );

  test("more instructions than the kernel takes are refused", () => {
    const program = new BpfProgram();
    let next: Target = program.compare("jumpEqual", 0, { value: 1 }, { value: 2 });
    while (program.length < maxInstructions - 1) next = program.load(0);
    expect(program.startingAt(next).length).toBe((maxInstructions - 1) * 8);
    next = program.load(0);
    expect(() => program.load(0)).toThrow(ProgramTooLargeError);
    expect(() => program.load(0)).toThrow("the filter has more than 4096 instructions");
    expect(program.startingAt(next).length).toBe(maxInstructions * 8);
  });
});
